#!/usr/bin/env python3
# Compare the independent decoder with the command.
#
# Copyright (C) 2026 The libsframe-coro authors
#
# SPDX-License-Identifier: GPL-3.0-or-later

"""Let the library, the command, binutils and decode.py read the same sections.

Where all are right they say the same, so each difference is a mistake in
one of them, or a sentence in the specification that can be read in two
ways.
"""

import collections
import glob
import itertools
import json
import multiprocessing.pool
import os
import re
import subprocess
import sys
import tempfile

import check
import decode

WRAP = 1 << 64
LINKED = os.path.join(check.HERE, '..', 'cross', 'sections')
SECONDS = 120
BATCH = 100

# abi_arch: BFD target, and e_machine where the target leaves it open
TARGETS = {1: ('elf64-big', 183), 2: ('elf64-little', 183),
           3: ('elf64-x86-64', None), 4: ('elf64-big', 22)}

# What the command calls the kinds that it does not call by their names.
NAMES = {'TLS_STUB': 'tls', 'FUNCTION_ENTRY': 'entry',
         'RETURN_ADDRESS': 'return', 'EXACT_PC': 'pc',
         'BY_TID': 'tid', 'BY_TP': 'tp'}


def name(kind):
    """What the command calls a kind."""
    return NAMES.get(kind, kind.lower())


def paths(given):
    """Those of some named paths that are given, as the command does it."""
    return {name(key): {'offsets': one['offs'], 'adjust': one['adjust']}
            for key, one in given.items() if one is not None}


def head(one):
    """A head as the command shows it."""
    shown = {'kind': name(one['kind']), **paths({'PATH': one['path']})}
    if one['kind'] == 'TLS_OFFSET':
        shown['offset'] = one['value']
    elif one['address'] is not None:
        shown['address'] = hex(one['address'])
    if one['flags'] & decode.HEAD_F_INVALID:
        shown['invalid'] = hex(one['invalid'])
    return shown


def test(one):
    """A test as the command shows it."""
    shown = {'kind': name(one['kind']), 'width': one['width'],
             'offset': one['off'], 'mask': hex(one['mask']),
             'actions': [name(action) for action in one['actions']]}
    if one['kind'] == 'EQUAL':
        shown['offset2'] = one['value']
    else:
        shown['value'] = hex(one['value'])
    return shown


def chain(one):
    """A chain as the command shows it."""
    shown = {'name': one['name'], 'address': hex(one['address']),
             'flags': one['flags'], 'ip': name(one['ip_kind']),
             'heads': [head(entry) for entry in one['heads']],
             'tests': [test(entry) for entry in one['tests']],
             'paths': paths(one['paths']), 'end': name(one['end_kind']),
             'roots': name(one['roots'])}
    for field in ('language', 'ptr_align_log2', 'max_depth'):
        shown[field] = one[field]
    if one['end_kind'] == 'VALUE':
        shown['end_value'] = hex(one['end_value'])
    elif one['end_kind'] == 'ADDRESS':
        shown['end_value'] = hex(one['end_address'])
    if one['flags'] & decode.CHAIN_ROOT_FRAME:
        shown['root_frame_offset'] = one['root_frame_off']
    return shown


def row(function, one):
    """A row as the command shows it."""
    shown = {'start': hex((function['start'] + one['pc_off']) % WRAP),
             'offset': one['off'], 'in_register': bool(one['flags'] & 1)}
    if one['base'] != decode.BASE_CFA:
        shown['register'] = one['base']
    return shown


def function_entry(one):
    """A function as the command shows it."""
    shown = {'kind': name(one['kind']), 'start': hex(one['start']),
             'size': one['size'], 'chain': hex(one['chain'])}
    if one['kind'] == 'SITE':
        shown['rows'] = [row(one, entry) for entry in one['rows']]
        return shown
    body = one['body']
    shown['points'] = [] if body is None else [
        {'index': point['index'],
         'address': hex((one['start'] + point['pc_off']) % WRAP)}
        for point in body['points']]
    if body is not None:
        shown.update(paths({'NEXT': body['next'], 'IP': body['ip']}),
                     index_offset=body['index_off'],
                     index_size=body['index_size'])
    return shown


def blocks(document):
    """The blocks as the command shows them."""
    numbers = {abi: number for number, (abi, _) in decode.ABIS.items()}
    return [{'offset': one['offset'], 'version': one['version'],
             'flags': one['flags'], 'abi': numbers[one['abi_arch']],
             'length': one['length'],
             'chains': [chain(entry) for entry in one['chains']],
             'functions': [function_entry(entry)
                           for entry in one['functions']]}
            for one in document['blocks']]


def run(*command, **options):
    """Run a command; its status and what it prints."""
    done = subprocess.run(command, capture_output=True, check=False,
                          timeout=SECONDS, **options)
    return done.returncode, done.stdout, done.stderr


class Linked:
    """A linked file among the tests, and what the decoder says of it."""

    def __init__(self, made):
        self.made, self.name = made, os.path.basename(made)
        _, self.document, self.problem = check.run_decoder(made)


class Case:
    """A section of the corpus, and what the decoder says of it."""

    def __init__(self, stem, folder):
        with open(stem + '.json', encoding='ascii') as file:
            about = json.load(file)
        with open(stem + '.bin', 'rb') as file:
            contents = file.read()
        self.name = os.path.basename(stem)
        self.stem, self.abi = stem, about['abi']
        self.made = os.path.join(folder, self.name + '.o')
        self.expected = about['document']
        self.empty = not contents
        self.address = 0 if self.empty else self.expected['address']
        self.document = decode.decode(contents, self.address,
                                      decode.ABIS[self.abi][1])
        # Where a reader stops is its own choice; that it does is not.
        self.limited = any(error['kind'] == 'limit'
                           for error in self.document['errors'])

    def findings(self, left_out=()):
        """What a validator reports: severities, codes and offsets."""
        return collections.Counter(
            finding(entry, which) for which in ('errors', 'warnings')
            for entry in self.document[which]
            if entry['kind'] not in left_out)

    def wrap(self):
        """Make an object file of the section; whether that can be done."""
        target, machine = TARGETS[self.abi]
        objcopy = os.environ.get('OBJCOPY', 'objcopy')
        if self.empty:
            return run(
                os.environ.get('AS', 'as'), '-o', self.made, '-',
                input=b'.section .sframe_coro, "a", @progbits\n')[0] == 0
        status, _, _ = run(
            objcopy, '-I', 'binary', '-O', target, '--rename-section',
            '.data=.sframe_coro,alloc,load,readonly,data,contents',
            '--set-section-alignment', '.data=8', '--strip-all',
            '--change-section-address', '.data=0x%x' % self.address,
            self.stem + '.bin', self.made)
        if status == 0 and machine is not None:
            # A copy of an ELF file keeps the machine, one of bytes does not.
            status, _, _ = run(objcopy, '-I', target, '-O', target,
                               '--alt-machine-code=%d' % machine, self.made)
        return status == 0


# kind: the code of the library, and whether it is an error
CODES = {
    'abi': ('BAD_ABI', True), 'byte-order': ('BAD_ABI', True),
    'alignment': ('BAD_OFFSET', True), 'bounds': ('BAD_OFFSET', True),
    'missing': ('BAD_OFFSET', True), 'area': ('BAD_LENGTH', True),
    'count': ('BAD_COUNT', True), 'length': ('BAD_HEADER', True),
    'truncated': ('TRUNCATED', True), 'size': ('BAD_HEADER', True),
    'magic': ('BAD_MAGIC', True), 'version': ('BAD_VERSION', True),
    'unknown': ('BAD_KIND', True), 'value': ('BAD_VALUE', True),
    'string': ('BAD_STRING', True), 'utf8': ('BAD_UTF8', False),
    'padding': ('BAD_PADDING', False), 'reserved': ('RESERVED', True),
    'unused': ('BAD_VALUE', False), 'mask': ('BAD_VALUE', False),
    'path': ('BAD_VALUE', False), 'index': ('BAD_VALUE', False),
    'no-ip': ('NO_IP', True), 'wrap': ('BAD_VALUE', True),
    'code': ('NOT_CODE', True), 'range': ('POINT_RANGE', True),
    'order': ('ROW_ORDER', True), 'sorted': ('UNSORTED', True),
    'reference': ('CHAIN_REF', True), 'overlap': ('OVERLAP', True),
    'twin': ('OVERLAP', False)}

# kind, record, field: where that is not so
SPECIAL = {
    ('unknown', 'block header', 'abi_arch'): ('BAD_ABI', True),
    ('bounds', 'chain', 'name'): ('BAD_STRING', True),
    ('missing', 'chain', 'path[1]'): ('NO_NEXT', True),
    ('missing', 'chain', 'roots'): ('NO_NEXT', True),
    ('unused', 'head', 'value'): ('RESERVED', True),
    ('unused', 'head', 'invalid'): ('RESERVED', True)}

# What is not reported for relocatable objects.
AFTER_LINKING = ('wrap', 'reference', 'overlap', 'twin')


def finding(entry, which):
    """Severity, code and offset of what the decoder reports."""
    kind, field = entry['kind'], entry['field'] or ''
    code, error = SPECIAL.get((kind, entry['record'], field), CODES[kind])
    offset = entry['offset']
    if (entry['record'], which) == ('chain', 'warnings') \
            and field.startswith('path['):
        # Paths that do not go together: the field is all of them.
        offset -= 4 * int(field[5])
    return 'error' if error else 'warning', code, offset


def counted(counter):
    """What is in a counter, for messages."""
    return sorted(counter.elements())


def compare_findings(results, cases, program):
    """What the library's validator finds, no more and no less."""
    status, out, err = run(program, input=''.join(
        '%d %s.bin\n' % (case.address, case.stem) for case in cases).encode())
    found = {}
    for line in out.decode().splitlines():
        words = line.split()
        if words[0] == 'section':
            found[words[1]] = current = collections.Counter()
        else:
            current[words[0], words[1], int(words[2])] += 1
    results.check('findings', 'status %d: %r' % (status, err)
                  if status or len(found) != len(cases) else None)
    for case in cases:
        ours, theirs = case.findings(), found.get(case.stem + '.bin')
        results.check('findings: ' + case.name, None if ours == theirs
                      else '%s, not %s' % (counted(theirs or ours),
                                           counted(ours)))


def batches(cases):
    """The cases, a few at a time."""
    for first in range(0, len(cases), BATCH):
        yield cases[first:first + BATCH]


def run_json(results, cases, *command):
    """Each case with what a command says of its file."""
    for batch in batches(cases):
        status, out, err = run(*command, *(case.made for case in batch))
        try:
            files = json.loads(out)['files']
        except (ValueError, LookupError, TypeError) as error:
            results.check(' '.join(command), '%r in %r, status %d, %r'
                          % (error, out[:200], status, err[-200:]))
            continue
        results.check(' '.join(command), difference_of_names(batch, files))
        yield from zip(batch, files)


def difference_of_names(batch, files):
    """Whether the files are those that were asked for."""
    return check.difference([case.made for case in batch],
                            [file['file'] for file in files])


def compare_check(results, cases, command):
    """What "check" reports of relocatable objects."""
    for case, file in run_json(results, cases, command, 'check', '--json'):
        ours = collections.Counter()
        for severity, _, offset in case.findings(AFTER_LINKING).elements():
            ours[severity, offset] += 1
        theirs = collections.Counter(
            (one['severity'], one['offset']) for one in file['findings'])
        results.check('check: ' + case.name, None if ours == theirs
                      else '%s, not %s' % (counted(theirs), counted(ours)))


def tolerate(document, section):
    """Make equal what the specification leaves open.

    A function whose body cannot be decoded may be shown without, and a name
    that is not UTF-8 in any way."""
    pairs = list(zip(document['blocks'], section['blocks']))
    for ours, shown in pairs if document['errors'] else []:
        known = {hex(one['start']) for one in ours['functions']}
        shown['functions'] = [
            one for one in shown['functions']
            if one['start'] in known or one['kind'] != 'body'
            or 'index_size' in one]
    if any(one['kind'] == 'utf8' for one in document['warnings']):
        for ours, shown in pairs:
            for one, other in zip(ours['chains'], shown['chains']):
                other['name'] = one['name']


def without_names(shown):
    """What is shown, without the names that are not of the format: of the
    ABI, and of the symbols of the file."""
    if isinstance(shown, dict):
        return {key: without_names(value) for key, value in shown.items()
                if not key.endswith('_name')}
    if isinstance(shown, list):
        return list(map(without_names, shown))
    return shown


def difference_of_dump(document, section):
    """What "dump" and the decoder disagree about, or None."""
    expected = [one['offset'] for one in document['errors']]
    if not expected and section['errors']:
        return 'rejected: %s' % section['errors'][0]
    if expected and not section['errors']:
        # A rule that "check" enforces, and "dump" need not.
        return None
    if len(expected) != len(section['errors']):
        return '%d errors, not %d' % (len(section['errors']), len(expected))
    tolerate(document, section)
    return check.difference(
        {'address': document['address'], 'blocks': blocks(document)},
        {'address': int(section['address'], 0),
         'blocks': section['blocks']})


def compare_dump(results, cases, command):
    """What "dump --json" decodes."""
    for case, file in run_json(results, cases, command, 'dump', '--json'):
        sections = file['sections']
        results.check('dump: ' + case.name, difference_of_dump(
            case.document, without_names(sections[0])) if len(sections) == 1
                      else '%d sections' % len(sections))


# What begins the dump of a file, and what of a section.
TITLES = {
    'dump': (r'(?m)^(\S+): section \.sframe_coro at .*\n', None),
    'objdump': (r'(?m)^\n?(\S+):     file format \S+\n',
                r'(?m)^Contents of the \.sframe_coro section .*\n'),
    'readelf': (r'(?m)^\n?File: (\S+)\n',
                r'(?m)^Contents of the \.sframe_coro section .*\n')}


def texts(kind, cases, *command):
    """The dumps of some files as text, by their names."""
    found = {}
    title, subtitle = TITLES[kind]
    for batch in batches(cases):
        # One more, as readelf names files only if there are several.
        _, out, _ = run(*command, *(case.made for case in batch),
                        batch[0].made)
        parts = re.split(title, out.decode(errors='replace'))
        for name, text in zip(parts[1::2], parts[2::2]):
            text = re.sub(subtitle, '', text) if subtitle else text
            # Symbols of the file are not of the format.
            text = re.sub(r' <[^>]*>', '', text)
            found[name] = re.sub(r'\n\n+', '\n', text).strip()
    return found


def first_difference(one, other):
    """The first lines that differ, or None."""
    for a, b in itertools.zip_longest(one.splitlines(), other.splitlines()):
        if a != b:
            return '%r or %r' % (a, b)
    return None


def compare_binutils(results, cases, command, bin_folder):
    """What objdump and readelf print, and "dump"."""
    shown = texts('dump', cases, command, 'dump')
    for tool, *options in (('objdump', '--sframe=.sframe_coro'),
                           ('readelf', '--sframe=.sframe_coro')):
        printed = texts(tool, cases, os.path.join(bin_folder, tool),
                        *options)
        for case in cases:
            ours, theirs = shown.get(case.made), printed.get(case.made)
            results.check('%s: %s' % (tool, case.name), 'nothing is shown'
                          if ours is None or theirs is None
                          else first_difference(ours, theirs))


def check_limited(results, case, command):
    """A section that claims too much work comes to an end all the same."""
    try:
        with open(os.devnull, 'wb') as null:
            subprocess.run([command, 'dump', '--json', case.made],
                           stdout=null, stderr=null, check=False,
                           timeout=SECONDS)
        results.check('command: ' + case.name, None)
    except subprocess.TimeoutExpired as error:
        results.check('command: ' + case.name, 'no end: %s' % error)


def compare_elf(results, cases):
    """The decoder finds the section in an ELF file by itself."""
    for case in cases:
        if case.name.endswith('-suffix'):
            _, document, text = check.run_decoder(case.made)
            results.check('ELF file: ' + case.name, text or check.difference(
                case.expected, check.brief(document)))


def compare_linked(results, command, bin_folder):
    """Files of each ABI that linkers have made."""
    cases = [Linked(name) for kind in ('*.so', '*.elf')
             for name in sorted(glob.glob(os.path.join(LINKED, kind)))]
    results.check('linked files', None if len(cases) >= 3 else 'none')
    for case in cases:
        results.check('linked file: ' + case.name, case.problem)
    compare_dump(results, cases, command)
    if bin_folder:
        compare_binutils(results, cases, command, bin_folder)


def wrapped(results, cases):
    """Those of which object files can be made."""
    with multiprocessing.pool.ThreadPool(2) as pool:
        made = pool.map(Case.wrap, cases)
    for case, good in zip(cases, made):
        if not good:
            results.skip(case.name, 'no object file could be made')
    return [case for case, good in zip(cases, made) if good]


def compare_files(results, cases, command, bin_folder):
    """All that reads ELF files."""
    for case in cases:
        if case.limited:
            check_limited(results, case, command)
    cases = [case for case in cases if not case.limited]
    compare_dump(results, cases, command)
    compare_check(results, cases, command)
    # Without a section of any size there is nothing to print.
    cases = [case for case in cases if not case.empty]
    if bin_folder:
        compare_binutils(results, cases, command, bin_folder)
    else:
        results.skip('objdump, readelf', 'no patched binutils')


def main():
    """Compare all; the arguments are the corpus, the command, the program
    findings, and the folder of the patched binutils; but for the first they
    may be empty."""
    results = check.Results()
    corpus, command, program, bin_folder = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        cases = [Case(stem, folder) for stem in check.corpus(corpus)]
        if program:
            compare_findings(results, [case for case in cases
                                       if not case.limited], program)
        else:
            results.skip('findings', 'there is no library to compare with')
        cases = wrapped(results, cases)
        compare_elf(results, cases)
        if command:
            compare_files(results, cases, command, bin_folder)
            compare_linked(results, command, bin_folder)
        else:
            results.skip('command', 'there is no command to compare with')
    return results.finish()


if __name__ == '__main__':
    sys.exit(main())
