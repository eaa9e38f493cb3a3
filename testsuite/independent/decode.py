#!/usr/bin/env python3
# Decode sections .sframe_coro, from the specification alone.
#
# Copyright (C) 2026 The libsframe-coro authors
#
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decode a section .sframe_coro into a JSON document.

This is a second reader of the format.  It shares nothing with the library,
so that a mistake in the library, or a gap in the specification, shows as a
difference.  What makes a record unusable is in "errors"; what else a
validator reports, as an error or not, is in "warnings".
"""

import argparse
import json
import os
import re
import subprocess
import sys

MAGIC = 0xdec0
VERSION = 1
NO_DATA = 0xffffffff
WRAP = 1 << 64

# The work for one section: bytes of records and strings, each counted as
# often as it is referred to, beyond some multiple of the size.
SPARE_WORK = 1 << 20
WORK_PER_BYTE = 4

# type: (bytes, signed)
TYPES = {'u8': (1, False), 'u16': (2, False), 'u32': (4, False),
         'u64': (8, False), 'i32': (4, True), 'i64': (8, True)}

# record: (bytes, ((field, offset, type), ...))
LAYOUT = {
    'block header': (32, (
        ('magic', 0, 'u16'), ('version', 2, 'u8'), ('flags', 3, 'u8'),
        ('abi_arch', 4, 'u8'), ('header_size', 5, 'u8'),
        ('chain_size', 6, 'u8'), ('func_size', 7, 'u8'),
        ('length', 8, 'u32'), ('num_chains', 12, 'u32'),
        ('num_funcs', 16, 'u32'), ('data_len', 20, 'u32'),
        ('strings_len', 24, 'u32'), ('reserved', 28, 'u32'))),
    'chain': (80, (
        ('name', 0, 'u32'), ('flags', 4, 'u32'), ('num_heads', 8, 'u8'),
        ('num_tests', 9, 'u8'), ('ip_kind', 10, 'u8'),
        ('end_kind', 11, 'u8'), ('roots', 12, 'u8'),
        ('ptr_align_log2', 13, 'u8'), ('language', 14, 'u16'),
        ('max_depth', 16, 'u32'), ('root_frame_off', 20, 'i32'),
        ('end_value', 24, 'u64'), ('heads', 32, 'u32'),
        ('tests', 36, 'u32'),
        *(('path[%d]' % i, 40 + 4 * i, 'u32') for i in range(8)),
        ('reserved', 72, 'u64'))),
    'path': (4, (
        ('num_offs', 0, 'u8'), ('flags', 1, 'u8'), ('reserved', 2, 'u16'))),
    'head': (24, (
        ('kind', 0, 'u8'), ('flags', 1, 'u8'), ('reserved', 2, 'u16'),
        ('path', 4, 'u32'), ('value', 8, 'i64'), ('invalid', 16, 'u64'))),
    'test': (24, (
        ('kind', 0, 'u8'), ('width', 1, 'u8'), ('actions', 2, 'u8'),
        ('reserved', 3, 'u8'), ('off', 4, 'i32'), ('mask', 8, 'u64'),
        ('value', 16, 'u64'))),
    'function': (32, (
        ('start', 0, 'i64'), ('chain', 8, 'i64'), ('size', 16, 'u32'),
        ('data', 20, 'u32'), ('num', 24, 'u16'), ('kind', 26, 'u8'),
        ('flags', 27, 'u8'), ('reserved', 28, 'u32'))),
    'row': (12, (
        ('pc_off', 0, 'u32'), ('base', 4, 'u16'), ('flags', 6, 'u16'),
        ('off', 8, 'i32'))),
    'body': (16, (
        ('next', 0, 'u32'), ('ip', 4, 'u32'), ('index_off', 8, 'i32'),
        ('index_size', 12, 'u8'), ('flags', 13, 'u8'),
        ('reserved', 14, 'u16'))),
    'point': (8, (
        ('index', 0, 'u32'), ('pc_off', 4, 'u32'))),
}

# abi_arch: (name, byte order)
ABIS = {1: ('AARCH64_BE', 'big'), 2: ('AARCH64_LE', 'little'),
        3: ('AMD64_LE', 'little'), 4: ('S390X_BE', 'big')}

IP_KINDS = {0: 'NONE', 1: 'FUNCTION_ENTRY', 2: 'RETURN_ADDRESS',
            3: 'EXACT_PC', 4: 'COOKIE'}
END_KINDS = {0: 'NULL', 1: 'SELF', 2: 'VALUE', 3: 'ADDRESS'}
ROOTS = {0: 'NONE', 1: 'ALL', 2: 'BY_TID', 3: 'BY_TP'}
PATHS = ('TOP', 'NEXT', 'IP', 'IP_ALT', 'AUX', 'ROOT_NEXT', 'ROOT_KEY',
         'BLOCKED')
HEAD_KINDS = {1: 'TLS_STUB', 2: 'TLS_OFFSET', 3: 'TP_SLOT', 4: 'GLOBAL',
              5: 'PTHREAD_KEY', 6: 'FRAME'}
PC_RELATIVE_HEADS = ('TLS_STUB', 'TP_SLOT', 'GLOBAL', 'PTHREAD_KEY')
TEST_KINDS = {1: 'VALUE', 2: 'EQUAL'}
FUNC_KINDS = {1: 'SITE', 2: 'BODY'}
WIDTHS = (1, 2, 4, 8)

F_FUNCS_SORTED = 1
CHAIN_ROOT_FRAME = 4
PATH_F_ADJUST = 1
HEAD_F_INVALID = 1
ACTIONS = {1: 'HIDE', 2: 'BOUNDARY', 4: 'STOP'}
BASE_CFA = 0x8000
MAX_REGISTER = 255

# record: the bits of its field "flags" that have a meaning
FLAGS = {'block header': 1, 'chain': 15, 'path': 1, 'head': 1,
         'function': 0, 'row': 1, 'body': 0}

MAX_HEADS = 4
MAX_TESTS = 4
MAX_PATH_OFFS = 4
MAX_PTR_ALIGN_LOG2 = 12

# record: the number that its data offsets are a multiple of
ALIGN = {'head': 8, 'test': 8, 'path': 4, 'row': 4, 'body': 4}


class Malformed(Exception):
    """Something that makes a record, or the rest of a section, unusable."""

    def __init__(self, kind, offset, record, field, text):
        super().__init__(text)
        self.entry = {'kind': kind, 'offset': offset, 'record': record,
                      'field': field, 'text': text}


class Section:
    """The bytes of a section, the address they are at, and what was said."""

    def __init__(self, contents, address, order):
        self.contents = contents
        self.address = address
        self.order = order
        self.work = SPARE_WORK + WORK_PER_BYTE * len(contents)
        # Rows and points that functions may refer to.
        self.entries = len(contents)
        self.warnings = []
        self.errors = []

    def number(self, offset, kind):
        """The number at an offset that was checked to be in bounds."""
        size, signed = TYPES[kind]
        return int.from_bytes(self.contents[offset:offset + size],
                              self.order, signed=signed)

    def spend(self, size, offset, record):
        """Bound the work: records may be shared by many entries."""
        self.work -= size
        if self.work < 0:
            raise Malformed('limit', offset, record, None,
                            'the section refers to more data than is read')

    def record(self, name, offset):
        """All fields of a record, with warnings about reserved ones."""
        size, fields = LAYOUT[name]
        self.spend(size, offset, name)
        got = Record(self, name, offset)
        for field, at, kind in fields:
            got[field] = self.number(offset + at, kind)
        if got.get('reserved'):
            got.warn('reserved', 'reserved', 'is not zero')
        if got.get('flags', 0) & ~FLAGS.get(name, 0):
            got.warn('reserved', 'flags', 'has reserved bits')
        return got

    def warn(self, kind, offset, record, field, text):
        """Note what a validator objects to."""
        self.spend(24, offset, record)
        self.warnings.append({'kind': kind, 'offset': offset,
                              'record': record, 'field': field,
                              'text': text})


class Record(dict):
    """The fields of a record, and where it is."""

    def __init__(self, section, name, offset):
        super().__init__()
        self.section = section
        self.name = name
        self.offset = offset

    def at(self, field):
        """The offset in the section of a field."""
        for name, at, _ in LAYOUT[self.name][1]:
            if name == field:
                return self.offset + at
        return self.offset

    def fail(self, kind, field, text):
        """Give this record up."""
        raise Malformed(kind, self.at(field), self.name, field,
                        '%s %s' % (field, text))

    def warn(self, kind, field, text):
        """Note what a validator objects to in this record."""
        self.section.warn(kind, self.at(field), self.name, field,
                          '%s %s' % (field, text))

    def address(self, field):
        """The address that a PC-relative field means."""
        return (self.section.address + self.at(field) + self[field]) % WRAP

    def choose(self, field, names):
        """The name of an enumerated value."""
        if self[field] not in names:
            self.fail('unknown', field, 'is %d, which has no meaning'
                      % self[field])
        return names[self[field]]


class Block:
    """One block: its header, and where its areas are."""

    def __init__(self, section, offset):
        self.section = section
        self.offset = offset
        if len(section.contents) - offset < LAYOUT['block header'][0]:
            raise Malformed('truncated', offset, 'block header', None,
                            'the section ends within the block header')
        self.header = section.record('block header', offset)
        self.check_header()
        self.find_areas()

    def check_header(self):
        """Refuse what cannot be decoded as this version."""
        header = self.header
        if header['magic'] != MAGIC:
            header.fail('magic', 'magic', 'is 0x%x' % header['magic'])
        if header['version'] != VERSION:
            header.fail('version', 'version', 'is %d' % header['version'])
        self.abi, order = header.choose('abi_arch', ABIS)
        if order != self.section.order:
            header.fail('byte-order', 'abi_arch', 'is %s, in %s-endian data'
                        % (self.abi, self.section.order))
        for field, record in (('header_size', 'block header'),
                              ('chain_size', 'chain'),
                              ('func_size', 'function')):
            least = LAYOUT[record][0]
            if header[field] < least or header[field] % 8:
                header.fail('size', field, 'is %d, not a multiple of 8 '
                            'from %d on' % (header[field], least))
        if header['length'] % 8:
            header.fail('length', 'length', 'is not a multiple of 8')
        if header['length'] > len(self.section.contents) - self.offset:
            header.fail('truncated', 'length', 'exceeds the section')
        if header['data_len'] % 4:
            header.fail('size', 'data_len', 'is not a multiple of 4')

    def find_areas(self):
        """Lay out the five areas; they must fit."""
        header = self.header
        self.end = self.offset + header['length']
        at = self.offset
        for field, size in (
                ('length', header['header_size']),
                ('num_chains', header['num_chains'] * header['chain_size']),
                ('num_funcs', header['num_funcs'] * header['func_size']),
                ('data_len', header['data_len']),
                ('strings_len', header['strings_len'])):
            if size > self.end - at:
                header.fail('length' if field == 'length' else 'area',
                            field, 'is too small for its area'
                            if field == 'length' else 'exceeds the block')
            setattr(self, field + '_at', at)
            at += size
        if any(self.section.contents[at:self.end]):
            header.warn('padding', 'length', 'takes in bytes behind the '
                        'strings that are not zero')

    def place(self, owner, field, record, size):
        """Where the data are that a data offset refers to."""
        offset = owner[field]
        if offset == NO_DATA:
            owner.fail('missing', field, 'refers to nothing')
        if offset % ALIGN[record]:
            owner.fail('alignment', field, 'is 0x%x, not a multiple of %d'
                       % (offset, ALIGN[record]))
        if offset + size > self.header['data_len']:
            owner.fail('bounds', field, 'is 0x%x: %d bytes from there '
                       'exceed the data area' % (offset, size))
        return self.data_len_at + offset

    def entries(self, field, size_field):
        """The offsets of the chain or function entries."""
        at = getattr(self, field + '_at')
        size = self.header[size_field]
        return range(at, at + self.header[field] * size, size)


def string(block, owner, field):
    """A string; it must end within the area."""
    size = block.header['strings_len']
    begin = block.strings_len_at + owner[field]
    if owner[field] >= size:
        owner.fail('bounds', field, 'is 0x%x, beyond the string area'
                   % owner[field])
    contents = block.section.contents
    end = contents.find(b'\0', begin, block.strings_len_at + size)
    if end < 0:
        owner.fail('string', field, 'refers to a string without end')
    block.section.spend(end - begin, begin, 'string')
    text = contents[begin:end].decode('utf-8', errors='replace')
    if text.encode('utf-8') != contents[begin:end]:
        owner.warn('utf8', field, 'refers to a string that is not UTF-8')
    return text


def path(block, owner, field):
    """A path, or None where none is given."""
    if owner[field] == NO_DATA:
        return None
    at = block.place(owner, field, 'path', LAYOUT['path'][0])
    got = block.section.record('path', at)
    if got['num_offs'] > MAX_PATH_OFFS:
        got.fail('count', 'num_offs', 'is %d' % got['num_offs'])
    adjusted = got['flags'] & PATH_F_ADJUST
    num = got['num_offs'] + adjusted
    block.place(owner, field, 'path', LAYOUT['path'][0] + 4 * num)
    numbers = [block.section.number(at + 4 + 4 * i, 'i32')
               for i in range(num)]
    adjust = numbers.pop() if adjusted else 0
    if not numbers and adjust == 0:
        got.warn('path', 'num_offs', 'is 0, and so is the adjustment')
    return {'offs': numbers, 'adjust': adjust}


def head(block, at):
    """One head; "address" is there where the value is PC-relative."""
    got = block.section.record('head', at)
    kind = got.choose('kind', HEAD_KINDS)
    relative = kind in PC_RELATIVE_HEADS
    if kind == 'FRAME' and got['value']:
        got.warn('unused', 'value', 'is not zero')
    if got['invalid'] and not got['flags'] & HEAD_F_INVALID:
        got.warn('unused', 'invalid', 'is not zero, without the flag')
    return {'kind': kind, 'flags': got['flags'], 'value': got['value'],
            'address': got.address('value') if relative else None,
            'invalid': got['invalid'], 'path': path(block, got, 'path')}


def check_mask(got, kind):
    """Warn of tests that hold always, or never."""
    mask = got['mask'] & ((1 << 8 * got['width']) - 1)
    if not mask:
        got.warn('mask', 'mask', 'has no bit that is in the field')
    if kind == 'VALUE' and got['value'] & ~mask:
        got.warn('mask', 'value', 'has bits that are not in the mask')


def test(block, at):
    """One test; "value" is signed where it is an offset."""
    got = block.section.record('test', at)
    kind = got.choose('kind', TEST_KINDS)
    if got['width'] not in WIDTHS:
        got.fail('value', 'width', 'is %d' % got['width'])
    actions = [name for bit, name in ACTIONS.items()
               if got['actions'] & bit]
    if not actions or got['actions'] >> len(ACTIONS):
        got.warn('value', 'actions', 'is 0x%x' % got['actions'])
    check_mask(got, kind)
    value = got['value']
    if kind == 'EQUAL' and value >= WRAP // 2:
        value -= WRAP
    return {'kind': kind, 'width': got['width'], 'actions': actions,
            'off': got['off'], 'mask': got['mask'], 'value': value}


def several(block, owner, field, num, record, decode):
    """Records that follow each other in the data area."""
    size = LAYOUT[record][0]
    at = block.place(owner, field, record, num * size)
    return [decode(block, at + i * size) for i in range(num)]


def check_counts(got):
    """Refuse numbers in a chain entry that are out of range."""
    if not 1 <= got['num_heads'] <= MAX_HEADS:
        got.fail('count', 'num_heads', 'is %d' % got['num_heads'])
    if got['num_tests'] > MAX_TESTS:
        got.fail('count', 'num_tests', 'is %d' % got['num_tests'])
    if got['ptr_align_log2'] > MAX_PTR_ALIGN_LOG2:
        got.fail('value', 'ptr_align_log2', 'is %d' % got['ptr_align_log2'])


def check_paths(got, chain):
    """Warn of paths that a chain needs, or does not."""
    paths = chain['paths']
    cookies = chain['ip_kind'] == 'COOKIE'
    by_key = chain['roots'] in ('BY_TID', 'BY_TP')
    if paths['NEXT'] in (None, {'offs': [], 'adjust': 0}):
        got.warn('missing', 'path[1]', '(NEXT) leads nowhere')
    if (paths['IP'] is None) != (chain['ip_kind'] == 'NONE'):
        got.warn('no-ip', 'ip_kind', 'and the path IP contradict each other')
    if paths['IP_ALT'] is not None and paths['IP'] is None:
        got.warn('no-ip', 'path[3]', '(IP_ALT) is given, without IP')
    if paths['ROOT_NEXT'] is None and chain['roots'] != 'NONE':
        got.warn('missing', 'roots', 'has lists without ROOT_NEXT')
    if paths['ROOT_KEY'] is None and by_key:
        got.warn('missing', 'roots', 'has keys without ROOT_KEY')
    for number, needed in ((4, cookies), (5, chain['roots'] != 'NONE'),
                           (6, by_key)):
        if paths[PATHS[number]] is not None and not needed:
            got.warn('unused', 'path[%d]' % number,
                     '(%s) is given, and not used' % PATHS[number])


def check_chain(got, chain):
    """Warn of fields of a chain that do not belong together."""
    if (chain['language'] != 0) != (chain['ip_kind'] == 'COOKIE'):
        got.warn('unused', 'language', 'and cookies belong together')
    if got['end_value'] and chain['end_kind'] in ('NULL', 'SELF'):
        got.warn('unused', 'end_value', 'is not zero')
    if (chain['end_kind'] == 'VALUE'
            and got['end_value'] % (1 << got['ptr_align_log2'])):
        got.warn('unused', 'end_value', 'has tag bits')
    if got['root_frame_off'] and not got['flags'] & CHAIN_ROOT_FRAME:
        got.warn('unused', 'root_frame_off', 'is not zero')
    if not got['num_tests'] and got['tests'] != NO_DATA:
        got.warn('unused', 'tests', 'refers to data, without tests')


def chain_entry(block, offset):
    """A chain with all that it refers to."""
    got = block.section.record('chain', offset)
    check_counts(got)
    chain = {'offset': offset,
             'address': (block.section.address + offset) % WRAP,
             'flags': got['flags'],
             'ip_kind': got.choose('ip_kind', IP_KINDS),
             'end_kind': got.choose('end_kind', END_KINDS),
             'roots': got.choose('roots', ROOTS)}
    for field in ('ptr_align_log2', 'language', 'max_depth',
                  'root_frame_off', 'end_value'):
        chain[field] = got[field]
    chain['end_address'] = (got.address('end_value')
                            if chain['end_kind'] == 'ADDRESS' else None)
    chain['name'] = string(block, got, 'name')
    chain['heads'] = several(block, got, 'heads', got['num_heads'],
                             'head', head)
    chain['tests'] = (several(block, got, 'tests', got['num_tests'],
                              'test', test) if got['num_tests'] else [])
    chain['paths'] = {name: path(block, got, 'path[%d]' % i)
                      for i, name in enumerate(PATHS)}
    check_paths(got, chain)
    check_chain(got, chain)
    return chain


def row(block, at):
    """One row of a site."""
    got = block.section.record('row', at)
    if got['base'] > MAX_REGISTER and got['base'] != BASE_CFA:
        got.warn('value', 'base', 'is 0x%x' % got['base'])
    return got


def rows(block, got):
    """The rows of a site, which ascend."""
    found = several(block, got, 'data', got['num'], 'row', row)
    for one in found:
        if one['pc_off'] > got['size']:
            one.warn('range', 'pc_off', 'is beyond the function')
    for before, after in zip(found, found[1:]):
        if before['pc_off'] >= after['pc_off']:
            after.warn('order', 'pc_off', 'does not ascend')
    return list(map(dict, found))


def points(block, got, at, index_size):
    """The suspend points of a body."""
    found = [block.section.record('point', at + i * LAYOUT['point'][0])
             for i in range(got['num'])]
    for one in found:
        if one['pc_off'] >= got['size']:
            one.warn('range', 'pc_off', 'is beyond the function')
        if index_size and one['index'] >> 8 * index_size:
            one.warn('index', 'index', 'does not fit in %d bytes'
                     % index_size)
    return list(map(dict, found))


def body(block, got):
    """A body and its points."""
    size = LAYOUT['body'][0]
    at = block.place(got, 'data', 'body',
                     size + got['num'] * LAYOUT['point'][0])
    record = block.section.record('body', at)
    if record['index_size'] not in (0,) + WIDTHS:
        record.fail('value', 'index_size', 'is %d' % record['index_size'])
    if got['num'] and not record['index_size']:
        record.warn('index', 'index_size', 'is 0, with points')
    return {'next': path(block, record, 'next'),
            'ip': path(block, record, 'ip'),
            'index_off': record['index_off'],
            'index_size': record['index_size'],
            'points': points(block, got, at + size, record['index_size'])}


def check_function(got, kind):
    """Warn of a function that covers what it cannot, or nothing."""
    if got.address('start') + got['size'] >= WRAP:
        got.warn('wrap', 'size', 'goes on at address 0')
    if kind == 'BODY' and not got['size']:
        got.warn('code', 'start', 'is that of no code')
    if got['num'] > got.section.entries:
        got.warn('count', 'num', 'is more than there is in the section')
    else:
        got.section.entries -= got['num']


def function_entry(block, offset):
    """A function with its rows, or its body and points."""
    got = block.section.record('function', offset)
    kind = got.choose('kind', FUNC_KINDS)
    none = got['data'] == NO_DATA
    if none and got['num']:
        got.fail('missing', 'data', 'refers to nothing, but num is %d'
                 % got['num'])
    function = {'offset': offset, 'kind': kind, 'flags': got['flags'],
                'start': got.address('start'), 'size': got['size'],
                'chain': got.address('chain'), 'rows': [], 'body': None}
    if not none and kind == 'SITE':
        function['rows'] = rows(block, got)
    elif not none:
        function['body'] = body(block, got)
    check_function(got, kind)
    return function


def decode_all(block, decode, offsets):
    """Decode the entries that can be, and report the others."""
    found = []
    for offset in offsets:
        try:
            found.append(decode(block, offset))
        except Malformed as error:
            block.section.errors.append(error.entry)
            if error.entry['kind'] == 'limit':
                break
    return found


def extent(function):
    """First and last PC that a function covers; None if there is none."""
    start, size = function['start'], function['size']
    if function['kind'] == 'SITE':
        return (start + 1, start + size) if size else (start, start)
    return (start, start + size - 1) if size else None


def clash(one, other):
    """Whether two functions cover a common PC, but not the same PCs."""
    a, b = extent(one), extent(other)
    return (a is not None and b is not None and a != b
            and a[0] <= b[1] and b[0] <= a[1])


def check_order(block, functions):
    """Warn of functions for which the flag FUNCS_SORTED is not true."""
    if not block.header['flags'] & F_FUNCS_SORTED:
        return
    for number, function in enumerate(functions):
        before = functions[:number]
        if before and function['start'] < before[-1]['start']:
            text = 'is less than that of the function before'
        elif any(one['kind'] == function['kind'] and clash(one, function)
                 for one in before):
            text = 'overlaps a function before'
        else:
            continue
        block.section.warn('sorted', function['offset'], 'function',
                           'start', 'start ' + text)


def decode_block(block):
    """All records of a block."""
    header = block.header
    result = {'offset': block.offset,
              'address': (block.section.address + block.offset) % WRAP}
    for field in ('version', 'flags', 'header_size', 'chain_size',
                  'func_size', 'length', 'num_chains', 'num_funcs',
                  'data_len', 'strings_len'):
        result[field] = header[field]
    result['abi_arch'] = block.abi
    result['chains'] = decode_all(
        block, chain_entry, block.entries('num_chains', 'chain_size'))
    result['functions'] = decode_all(
        block, function_entry, block.entries('num_funcs', 'func_size'))
    check_order(block, result['functions'])
    return result


def next_block(section, offset):
    """Skip zeros, in steps of 8; the size of the section at the end."""
    found = re.compile(b'[^\0]').search(section.contents, offset)
    if found is None:
        return len(section.contents)
    return offset + (found.start() - offset) // 8 * 8


def decode_blocks(section):
    """All blocks up to the end, or to one that cannot be decoded."""
    blocks = []
    at = next_block(section, 0)
    while at < len(section.contents):
        block = Block(section, at)
        if blocks and block.abi != blocks[0]['abi_arch']:
            block.header.fail('abi', 'abi_arch', 'is %s, but that of the '
                              'first block %s'
                              % (block.abi, blocks[0]['abi_arch']))
        blocks.append(decode_block(block))
        yield blocks[-1]
        at = next_block(section, block.end)


def check_overlaps(section, functions):
    """Warn of functions of one kind and chain that share PCs."""
    functions = [f for f in functions if extent(f)]
    functions.sort(key=lambda f: (extent(f)[0], f['offset']))
    furthest = None
    for function in functions:
        if furthest and extent(function)[0] <= extent(furthest)[1]:
            same = extent(function) == extent(furthest)
            section.warn('twin' if same else 'overlap', function['offset'],
                         'function', 'start', 'start: another function '
                         'of the chain covers some of the same PCs')
        if not furthest or extent(function)[1] > extent(furthest)[1]:
            furthest = function


def check_references(section, blocks):
    """Warn of functions that refer to no chain, and of those that clash."""
    entries = set()
    groups = {}
    for block in blocks:
        at = block['address'] + block['header_size']
        entries.update((at + i * block['chain_size']) % WRAP
                       for i in range(block['num_chains']))
    for function in (f for block in blocks for f in block['functions']):
        if function['chain'] not in entries:
            section.warn('reference', function['offset'] + 8, 'function',
                         'chain', 'there is no chain entry at 0x%x'
                         % function['chain'])
        groups.setdefault((function['kind'], function['chain']),
                          []).append(function)
    for group in groups.values():
        check_overlaps(section, group)


def guess_order(contents):
    """The byte order that the magic number of the first block shows."""
    first = re.search(b'[^\0]', contents)
    if first is None:
        return 'little'
    at = first.start() // 8 * 8
    if contents[at:at + 2] == MAGIC.to_bytes(2, 'big'):
        return 'big'
    return 'little'


def decode(contents, address=0, order=None):
    """The document that describes the contents of a section."""
    section = Section(contents, address, order or guess_order(contents))
    blocks = []
    try:
        if address % 8:
            raise Malformed('alignment', 0, 'section', None,
                            'the section is not at a multiple of 8')
        for block in decode_blocks(section):
            blocks.append(block)
        check_references(section, blocks)
    except Malformed as error:
        # That the limit is reached need not be said twice.
        if section.work >= 0 or not section.errors:
            section.errors.append(error.entry)
    return {'address': address, 'size': len(contents),
            'byte_order': section.order, 'blocks': blocks,
            'errors': section.errors, 'warnings': section.warnings}


class NoSection(Exception):
    """The file has no section that could be decoded."""


# Of "readelf -SW": name, type, address, offset, size.
SECTION_LINE = re.compile(
    r'^\s*\[\s*\d+\]\s+\.sframe_coro\s+(\S+)'
    r'\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s', re.M)


def readelf(option, name):
    """The output of readelf, which knows ELF files so that we need not."""
    command = ['readelf', '-W', option, os.path.join(os.curdir, name)]
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              errors='replace', check=False, timeout=60,
                              env=dict(os.environ, LC_ALL='C'))
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoSection('readelf cannot be run: %s' % error) from None
    return done.stdout


def from_elf(name, contents):
    """Contents, address and byte order of the section of an ELF file."""
    found = SECTION_LINE.findall(readelf('-S', name))
    if len(found) != 1:
        raise NoSection('there are %d sections .sframe_coro' % len(found))
    kind, *numbers = found[0]
    address, offset, size = (int(number, 16) for number in numbers)
    if kind == 'NOBITS' or offset + size > len(contents):
        raise NoSection('the file does not hold the section')
    data = re.search(r'^\s*Data:.*(little|big) endian',
                     readelf('-h', name), re.M)
    if data is None:
        raise NoSection('the byte order is not known')
    return contents[offset:offset + size], address, data.group(1)


def arguments():
    """The command line."""
    number = lambda text: int(text, 0) % WRAP
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--address', type=number, metavar='ADDRESS',
                        help='where the section is mapped')
    parser.add_argument('--byte-order', choices=('little', 'big'))
    parser.add_argument('file', help='ELF file, or contents of a section')
    return parser.parse_args()


def main():
    """Decode one file; the status is 1 if the section has errors."""
    args = arguments()
    try:
        with open(args.file, 'rb') as file:
            contents = file.read()
        address, order = 0, None
        if contents.startswith(b'\x7fELF'):
            contents, address, order = from_elf(args.file, contents)
    except (OSError, NoSection) as error:
        print('%s: %s' % (args.file, error), file=sys.stderr)
        return 1
    if args.address is not None:
        address = args.address
    document = decode(contents, address, args.byte_order or order)
    json.dump(document, sys.stdout, indent=1)
    print()
    for error in document['errors']:
        print('%s: offset 0x%x: %s: %s' % (args.file, error['offset'],
                                           error['record'], error['text']),
              file=sys.stderr)
    return 1 if document['errors'] else 0


if __name__ == '__main__':
    sys.exit(main())
