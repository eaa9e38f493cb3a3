#!/usr/bin/env python3
# Compare the independent decoder with the command.
#
# Copyright (C) 2026 The libsframe-coro authors
#
# SPDX-License-Identifier: GPL-3.0-or-later

"""Let "sframe-coro dump" and decode.py read the same sections.

Where both are right they say the same, so each difference is a mistake in
one of them, or a sentence in the specification that can be read in two
ways.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile

import check
import decode

WRAP = 1 << 64
SECONDS = 30

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


def wrap(stem, abi, address, made):
    """Make an object file of the contents of a section."""
    target, machine = TARGETS[abi]
    objcopy = os.environ.get('OBJCOPY', 'objcopy')
    if os.path.getsize(stem + '.bin') == 0:
        return run(os.environ.get('AS', 'as'), '-o', made, '-',
                   input=b'.section .sframe_coro, "a", @progbits\n')[0] == 0
    status, _, _ = run(
        objcopy, '-I', 'binary', '-O', target, '--rename-section',
        '.data=.sframe_coro,alloc,load,readonly,data,contents',
        '--set-section-alignment', '.data=8',
        '--change-section-address', '.data=0x%x' % address,
        stem + '.bin', made)
    if status == 0 and machine is not None:
        # A copy of an ELF file keeps the machine, one of bytes does not.
        status, _, _ = run(objcopy, '-I', target, '-O', target,
                           '--alt-machine-code=%d' % machine, made)
    return status == 0


def dump(command, made):
    """The section as the command decodes it; a message if it does not."""
    status, out, err = run(command, 'dump', '--json', made)
    if status not in (0, 1) or b'Traceback' in err:
        return None, 'status %d: %r' % (status, err[-200:])
    try:
        section = json.loads(out)['files'][0]['sections'][0]
        for one in section['blocks']:
            del one['abi_name']
            # Symbols of the file are not of the format.
            for function in one['functions']:
                function.pop('start_name', None)
        return section, None
    except (ValueError, LookupError, TypeError) as error:
        return None, '%r in %r' % (error, out[:200])


def complaints(command, made):
    """The status of "check", and the offsets in it."""
    status, out, err = run(command, 'check', made)
    offsets = [int(part.split(':')[0], 0)
               for part in (out + err).decode(errors='replace').split(
                   '.sframe_coro+')[1:]]
    return status, offsets


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
    if any(one['kind'] == 'string' for one in document['warnings']):
        for ours, shown in pairs:
            for one, other in zip(ours['chains'], shown['chains']):
                other['name'] = one['name']


def compare(command, made, document):
    """What the command and the decoder disagree about, or None."""
    section, problem = dump(command, made)
    if problem:
        return problem
    status, offsets = complaints(command, made)
    expected = [one['offset'] for one in document['errors']]
    if not expected and section['errors']:
        return 'rejected: %s' % section['errors'][0]
    if expected and status == 0:
        return 'not rejected: %s' % document['errors'][0]['text']
    if expected and not section['errors']:
        # A rule that "check" enforces, and "dump" need not.
        return None if expected[0] in range(
            offsets[0] - 80, offsets[0] + 80) else 'other offset'
    if len(expected) != len(section['errors']):
        return '%d errors, not %d' % (len(section['errors']), len(expected))
    tolerate(document, section)
    shown = {'address': int(section['address'], 0),
             'blocks': section['blocks']}
    return check.difference(
        {'address': document['address'], 'blocks': blocks(document)}, shown)


def wraps(document):
    """Whether a function goes on at address 0."""
    return any(function['start'] + function['size'] >= 1 << 64
               for block in document['blocks']
               for function in block['functions'])


def compare_check(results, label, command, made, document):
    """Whether "check" objects to what a validator has to report."""
    status, offsets = complaints(command, made)
    if document['errors']:
        return
    wrong = None
    warnings = document['warnings']
    # The places of code and chains mean little before a link.
    decided = [one for one in warnings
               if one['kind'] not in ('reference', 'overlap')]
    if decided and not offsets:
        wrong = 'not reported: %s' % decided[0]['text']
    # A range that wraps is an error only a validator finds.  The command may
    # warn of more that is not used; it may not object.
    if wraps(document) and not status:
        wrong = 'a range that wraps is not reported'
    if not warnings and status and not wraps(document):
        wrong = 'reported for no reason: status %d, at %s' % (
            status, [hex(offset) for offset in offsets])
    results.check(label + ': check', wrong)


def compare_case(results, command, stem, folder):
    """Compare one section of the corpus."""
    with open(stem + '.json', encoding='ascii') as file:
        about = json.load(file)
    with open(stem + '.bin', 'rb') as file:
        contents = file.read()
    address = about['document']['address'] if contents else 0
    made = os.path.join(folder, 'made.o')
    label = 'command: ' + os.path.basename(stem)
    if not wrap(stem, about['abi'], address, made):
        results.skip(label, 'no object file could be made')
        return
    document = decode.decode(contents, address, decode.ABIS[about['abi']][1])
    try:
        if document['errors'] and document['errors'][0]['kind'] == 'limit':
            # Where a reader stops is its own choice; that it does is not.
            with open(os.devnull, 'wb') as null:
                subprocess.run([command, 'dump', '--json', made],
                               stdout=null, stderr=null, check=False,
                               timeout=SECONDS)
            results.check(label, None)
            return
        results.check(label, compare(command, made, document))
        compare_check(results, label, command, made, document)
    except subprocess.TimeoutExpired as error:
        results.check(label, 'no end: %s' % error)


def compare_elf(results, stems, folder):
    """The decoder finds the section in an ELF file by itself."""
    for stem in [one for one in stems if one.endswith('-suffix')]:
        with open(stem + '.json', encoding='ascii') as file:
            about = json.load(file)
        made = os.path.join(folder, 'elf.o')
        label = 'ELF file: ' + os.path.basename(stem)
        if not wrap(stem, about['abi'], about['document']['address'], made):
            results.skip(label, 'no object file could be made')
            continue
        _, document, text = check.run_decoder(made)
        results.check(label, text or check.difference(
            about['document'], check.brief(document)))


def main():
    """Compare all; the arguments are the corpus and the command."""
    results = check.Results()
    corpus, command = sys.argv[1:3]
    stems = check.corpus(corpus)
    with tempfile.TemporaryDirectory() as folder:
        compare_elf(results, stems, folder)
        if not command:
            results.skip('command', 'there is no command to compare with')
        for stem in stems if command else []:
            compare_case(results, command, stem, folder)
    return results.finish()


if __name__ == '__main__':
    sys.exit(main())
