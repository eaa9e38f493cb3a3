#!/usr/bin/env python3
# Compare what the independent decoder says with what is known.
#
# Copyright (C) 2026 The libsframe-coro authors
#
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check decode.py against the corpus and against the specification.

A decoder that is compared with others has to be right itself: it must give
back what the corpus was made from, must agree with the worked example, and
must survive bytes that nobody wrote on purpose.
"""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

import decode
import generate

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = os.path.join(HERE, '..', '..', 'doc', 'sframe-coro-spec.texi')
SECONDS = 120
FUZZ_ROUNDS = 3000


class Results:
    """Counts of what passed and what did not."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, difference):
        """Count one check; a difference is a failure."""
        if difference:
            print('FAIL: %s: %s' % (name, difference))
            self.failed += 1
        else:
            self.passed += 1

    def skip(self, name, reason):
        """Count what could not be checked."""
        print('SKIP: %s: %s' % (name, reason))
        self.skipped += 1

    def finish(self):
        """Print the last line; the status to exit with."""
        skipped = ', %d skipped' % self.skipped if self.skipped else ''
        print('%d passed, %d failed%s'
              % (self.passed, self.failed, skipped))
        return 1 if self.failed else 0


def difference(one, other, at='document'):
    """Where two documents differ first, or None."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return '%s: fields %s' % (at, sorted(set(one) ^ set(other)))
        pairs = [(key, one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return '%s: %d or %d entries' % (at, len(one), len(other))
        pairs = [(i, a, b) for i, (a, b) in enumerate(zip(one, other))]
    else:
        return None if one == other else '%s: %r or %r' % (at, one, other)
    for key, a, b in pairs:
        found = difference(a, b, '%s[%s]' % (at, key))
        if found:
            return found
    return None


def brief(document):
    """A document whose errors are kinds and fields, without the words."""
    brief_one = lambda one: [one['kind'], one['record'], one['field']]
    return dict(document, errors=list(map(brief_one, document['errors'])),
                warnings=list(map(brief_one, document['warnings'])))


def corpus(folder):
    """The sections of a corpus, by their names without extension."""
    return sorted(name[:-4] for name
                  in glob.glob(os.path.join(folder, '*.bin')))


def check_case(results, stem):
    """Check one section of the corpus."""
    with open(stem + '.json', encoding='ascii') as file:
        expected = json.load(file)['document']
    with open(stem + '.bin', 'rb') as file:
        contents = file.read()
    got = brief(decode.decode(contents, expected['address']))
    if expected['blocks'] is None:
        expected['blocks'] = got['blocks']
    if expected['errors']:
        # What is defective may deserve a warning as well, and without a
        # magic number no byte order is known.
        got['warnings'] = expected['warnings']
        if expected['errors'][0][0] == 'magic':
            got['byte_order'] = expected['byte_order']
    results.check(os.path.basename(stem), difference(expected, got))


DUMP_LINE = re.compile(r' +([0-9a-f]{4})  ((?:[0-9a-f]{2} )*[0-9a-f]{2})'
                       r'(?:  +(.*))?$')


def worked_example():
    """The bytes of the worked example, its fields by record, and where it
    is; the last dump in the specification."""
    with open(SPEC, encoding='utf-8') as file:
        text = file.read()
    begin = text.index('block header\n', text.index('A worked example\n'))
    text = text[begin:text.index('@end', begin)]
    contents = bytearray()
    fields = []
    for line in text.replace('@minus{}', '-').splitlines():
        found = DUMP_LINE.match(line)
        if found is None:
            record = line.strip()
            continue
        offset, data, words = found.groups()
        assert int(offset, 16) == len(contents), line
        contents += bytes.fromhex(data)
        words = (words or '').replace('->', '').split()
        if len(words) == 2:
            fields.append((record, int(offset, 16), *words))
    return bytes(contents), fields


def check_example(results):
    """The specification's own example decodes to what it says."""
    contents, fields = worked_example()
    got = decode.decode(contents, 0x400400)
    results.check('example: no complaint',
                  difference([], got['errors'] + got['warnings']))
    section = decode.Section(contents, 0x400400, 'little')
    for record, offset, field, value in fields:
        name = re.sub(r'^path.*', 'path', record).replace(' entry', '')
        table = decode.LAYOUT.get(name)
        match = [(at, kind) for known, at, kind in table[1]
                 if known == field] if table else []
        if not match:
            continue
        made = decode.Record(section, name, offset - match[0][0])
        made[field] = section.number(offset, match[0][1])
        shown = made[field] if made[field] == int(value, 0) \
            else made.address(field)
        results.check('example: %s.%s' % (record, field),
                      difference(int(value, 0), shown))
    chain, site = (got['blocks'][0]['chains'][0],
                   got['blocks'][1]['functions'][0])
    results.check('example: chain', difference(
        [0x400420, 'demo.task', 0x40100b, 8],
        [site['chain'], chain['name'], chain['heads'][0]['address'],
         chain['tests'][0]['value']]))


def check_fuzz(results, stems):
    """Bytes at random give errors, and nothing worse."""
    numbers = generate.Numbers(4711)
    problem = None
    for _ in range(FUZZ_ROUNDS):
        with open(numbers.choose(stems) + '.bin', 'rb') as file:
            contents = bytearray(file.read(65536))
        for _ in range(1 + numbers.below(6) if contents else 0):
            at = numbers.below(len(contents))
            contents[at] = numbers.choose([0, 1, 0xff, numbers.below(256)])
        del contents[numbers.choose([len(contents),
                                     numbers.below(len(contents) + 1)]):]
        try:
            json.dumps(decode.decode(bytes(contents), 8))
        except Exception as error:  # pylint: disable=broad-except
            problem = '%r for %s' % (error, contents.hex())
            break
    results.check('fuzz', problem)


def run_decoder(*args):
    """Status, document if any, and messages of the command line."""
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, 'decode.py'), *args],
        capture_output=True, text=True, check=False, timeout=SECONDS)
    document = json.loads(done.stdout) if done.stdout else None
    return done.returncode, document, done.stderr


def check_command_line(results, stems, folder):
    """What the command line adds: files, ELF files, messages."""
    good = next(one for one in stems if one.endswith('-suffix'))
    bad = next(one for one in stems if one.endswith('-bad-magic'))
    with open(good + '.bin', 'rb') as file:
        expected = decode.decode(file.read(), 0x400400)
    status, document, text = run_decoder('--address', '0x400400',
                                         good + '.bin')
    results.check('command line: contents', difference(
        [0, expected, ''], [status, document, text]))
    status, document, text = run_decoder(bad + '.bin')
    results.check('command line: error', None if status == 1
                  and document and 'offset 0x0: block header: magic' in text
                  else text)
    status, document, text = run_decoder(os.path.join(folder, 'none'))
    results.check('command line: no file', None if status == 1
                  and 'Traceback' not in text else text)
    for name, contents in (('cut', b'\x7fELF'), ('odd', b'\x7fELF' * 99)):
        name = os.path.join(folder, name)
        with open(name, 'wb') as file:
            file.write(contents)
        status, document, text = run_decoder(name)
        results.check('command line: bad ELF file', None if status == 1
                      and 'Traceback' not in text else text)


def main():
    """Check all; the corpus is the argument."""
    results = Results()
    stems = corpus(sys.argv[1])
    signal.alarm(10 * SECONDS)
    results.check('corpus: sections', None if len(stems) >= 200
                  else 'only %d' % len(stems))
    for stem in stems:
        check_case(results, stem)
    check_example(results)
    check_fuzz(results, stems)
    with tempfile.TemporaryDirectory() as folder:
        check_command_line(results, stems, folder)
    return results.finish()


if __name__ == '__main__':
    sys.exit(main())
