#!/usr/bin/env python3
# Write sections .sframe_coro, from the specification alone.
#
# Copyright (C) 2026 The libsframe-coro authors
#
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write a corpus of sections, each with the document it decodes to.

The encoder here knows the layout by format strings, the decoder by tables
of offsets: a slip in one of them is not repeated in the other.  Each run
writes the same bytes.
"""

import json
import os
import struct
import sys

WRAP = 1 << 64
NO_DATA = 0xffffffff

HEADER = 'HBBBBBBIIIIII'
CHAIN = 'IIBBBBBBHIiQII8IQ'
HEAD = 'BBHIQQ'
TEST = 'BBBBiQQ'
FUNC = 'QQIIHBBI'
ROW = 'IHHi'
BODY = 'IIiBBH'
POINT = 'II'

ABIS = {1: ('AARCH64_BE', '>'), 2: ('AARCH64_LE', '<'),
        3: ('AMD64_LE', '<'), 4: ('S390X_BE', '>')}
IPS = ['NONE', 'FUNCTION_ENTRY', 'RETURN_ADDRESS', 'EXACT_PC', 'COOKIE']
ENDS = ['NULL', 'SELF', 'VALUE', 'ADDRESS']
ROOTS = ['NONE', 'ALL', 'BY_TID', 'BY_TP']
PATHS = ['TOP', 'NEXT', 'IP', 'IP_ALT', 'AUX', 'ROOT_NEXT', 'ROOT_KEY',
         'BLOCKED']
HEADS = [None, 'TLS_STUB', 'TLS_OFFSET', 'TP_SLOT', 'GLOBAL',
         'PTHREAD_KEY', 'FRAME']
TESTS = [None, 'VALUE', 'EQUAL']
FUNCS = [None, 'SITE', 'BODY']
ACTIONS = ['HIDE', 'BOUNDARY', 'STOP']


class Numbers:
    """Numbers that look random and are the same in every run."""

    def __init__(self, seed):
        self.state = seed * 0x9e3779b97f4a7c15 % WRAP | 1

    def below(self, limit):
        """A number from 0 up to but not including the limit."""
        x = self.state
        x ^= x << 13 & WRAP - 1
        x ^= x >> 7
        x ^= x << 17 & WRAP - 1
        self.state = x
        return (x >> 11) % limit

    def choose(self, things):
        """One of the things."""
        return things[self.below(len(things))]

    def signed(self, bits):
        """A signed number, small or an extreme more often than not."""
        edge = 1 << bits - 1
        return self.choose([0, 8, -8, 16, edge - 1, -edge,
                            self.below(2 * edge) - edge])


# What a section is made from.

def path(*offs, adjust=None):
    """A path; an adjustment of 0 that is there is not the same bytes."""
    return {'offs': list(offs), 'adjust': adjust}


def head(kind=1, value=0x401000, through=path(0), flags=0, invalid=0):
    """A head; "value" is an address where the kind is PC-relative."""
    return {'kind': kind, 'value': value, 'path': through, 'flags': flags,
            'invalid': invalid}


def test(kind=1, width=8, actions=4, off=0, mask=WRAP - 1, value=0):
    """A test of the fields of a node."""
    return {'kind': kind, 'width': width, 'actions': actions, 'off': off,
            'mask': mask, 'value': value}


def chain(**given):
    """A chain that is valid without any argument."""
    made = {'name': 'demo.task', 'flags': 0, 'ip_kind': 1, 'end_kind': 0,
            'roots': 0, 'ptr_align_log2': 0, 'language': 0, 'max_depth': 0,
            'root_frame_off': 0, 'end_value': 0, 'heads': [head()],
            'tests': [], 'paths': {'NEXT': path(16), 'IP': path(0)}}
    assert not set(given) - set(made)
    made.update(given)
    return made


def function(start=0x401004, size=2, of=(0, 0), kind=1, rows=None,
             body=None):
    """A function; "of" is a chain by block and index, or an address."""
    return {'start': start, 'size': size, 'of': of, 'kind': kind,
            'rows': rows, 'body': body}


def body(points=(), following=None, ip=None, index_off=24, index_size=2):
    """The body of a coroutine with its suspend points."""
    return {'points': list(points), 'next': following, 'ip': ip,
            'index_off': index_off, 'index_size': index_size}


def block(chains=(), functions=(), **given):
    """A block; "grown" are the bytes appended to the three records."""
    made = {'chains': list(chains), 'functions': list(functions),
            'flags': 0, 'grown': (0, 0, 0), 'before': 0, 'tail': 0,
            'gap': b'', 'share': True}
    assert not set(given) - set(made)
    made.update(given)
    return made


class Encoder:
    """Encode one section, and say what it decodes to."""

    def __init__(self, blocks, abi, address, after):
        self.name, self.order = ABIS[abi]
        self.abi, self.address = abi, address
        self.where = {}
        self.encode(blocks, after)
        # Once more, now that it is known where chains are.
        self.encode(blocks, after)

    def encode(self, blocks, after):
        """All blocks, with zeros before, between and behind them."""
        self.contents = b''
        self.document = []
        for number, given in enumerate(blocks):
            self.contents += bytes(8 * given['before'])
            self.block(number, given)
        self.contents += bytes(after)

    def pack(self, layout, *fields):
        """The bytes of a record, which has no padding."""
        return struct.pack(self.order + layout, *fields)

    def relative(self, target, offset):
        """The value of a PC-relative field at an offset that means it."""
        return (target - self.address - offset) % WRAP

    def put(self, data, align):
        """Put a record in the data area, and tell where."""
        if self.share:
            at = self.data.find(data)
            while at >= 0 and at % align:
                at = self.data.find(data, at + 1)
            if at >= 0:
                return at
        self.data += bytes(-len(self.data) % align)
        self.data += data
        return len(self.data) - len(data)

    def string(self, text):
        """Put a string in the string area, and tell where."""
        data = text.encode() + b'\0'
        at = self.strings.find(data) if self.share else -1
        if at < 0:
            at = len(self.strings)
            self.strings += data
        return at

    def path(self, given):
        """Put a path; its document lacks nothing but where it is."""
        if given is None:
            return NO_DATA, None
        offs, adjust = given['offs'], given['adjust']
        numbers = offs + ([] if adjust is None else [adjust])
        data = self.pack('BBH%di' % len(numbers), len(offs),
                         adjust is not None, 0, *numbers)
        return self.put(data, 4), {'offs': offs, 'adjust': adjust or 0}

    def heads(self, number, index, given):
        """Put the heads of a chain.  They are not shared: the same bytes
        mean other addresses elsewhere."""
        paths = [self.path(one['path']) for one in given]
        self.data += bytes(-len(self.data) % 8)
        at = len(self.data)
        found = []
        for one, (path_at, path_document) in zip(given, paths):
            offset = self.data_at + len(self.data)
            self.where['head', number, index, len(found)] = offset
            relative = one['kind'] in (1, 3, 4, 5)
            value = one['value'] % WRAP
            if relative:
                value = self.relative(one['value'], offset + 8)
            self.data += self.pack(HEAD, one['kind'], one['flags'], 0,
                                   path_at, value, one['invalid'])
            found.append({
                'kind': HEADS[one['kind']], 'flags': one['flags'],
                'value': value - (WRAP if value >> 63 else 0),
                'address': one['value'] if relative else None,
                'invalid': one['invalid'], 'path': path_document})
        return at, found

    def tests(self, given):
        """Put the tests of a chain."""
        data = b''
        found = []
        for one in given:
            data += self.pack(TEST, one['kind'], one['width'],
                              one['actions'], 0, one['off'], one['mask'],
                              one['value'] % WRAP)
            found.append(dict(one, kind=TESTS[one['kind']], actions=[
                name for bit, name in enumerate(ACTIONS)
                if one['actions'] >> bit & 1]))
        return self.put(data, 8) if given else NO_DATA, found

    def chain(self, number, index, given, offset):
        """The entry of a chain, of which all else is put elsewhere."""
        found = dict(given, offset=offset, end_address=None,
                     address=(self.address + offset) % WRAP,
                     ip_kind=IPS[given['ip_kind']],
                     end_kind=ENDS[given['end_kind']],
                     roots=ROOTS[given['roots']])
        if given['end_kind'] == 3:
            found['end_address'] = given['end_value']
            found['end_value'] = self.relative(given['end_value'],
                                               offset + 24)
        name = self.string(given['name'])
        heads, found['heads'] = self.heads(number, index, given['heads'])
        tests, found['tests'] = self.tests(given['tests'])
        at = [self.path(given['paths'].get(one)) for one in PATHS]
        found['paths'] = dict(zip(PATHS, (one[1] for one in at)))
        self.where['tests', number, index] = self.data_at + tests
        self.where['next', number, index] = self.data_at + at[1][0]
        self.found_chains.append(found)
        return self.pack(
            CHAIN, name, given['flags'], len(found['heads']),
            len(found['tests']), given['ip_kind'], given['end_kind'],
            given['roots'], given['ptr_align_log2'], given['language'],
            given['max_depth'], given['root_frame_off'],
            found['end_value'], heads, tests, *(one[0] for one in at), 0)

    def rows(self, given):
        """Put the rows of a site."""
        names = ('pc_off', 'base', 'flags', 'off')
        data = b''.join(self.pack(ROW, *row) for row in given)
        return self.put(data, 4), [dict(zip(names, row)) for row in given]

    def body(self, given):
        """Put a body and its points."""
        following, next_document = self.path(given['next'])
        ip, ip_document = self.path(given['ip'])
        data = self.pack(BODY, following, ip, given['index_off'],
                         given['index_size'], 0, 0)
        data += b''.join(self.pack(POINT, *one) for one in given['points'])
        found = dict(given, next=next_document, ip=ip_document, points=[
            {'index': one[0], 'pc_off': one[1]} for one in given['points']])
        return self.put(data, 4), found

    def function(self, number, index, given, offset):
        """The entry of a function, with its rows or its body."""
        at, num, of = NO_DATA, 0, given['of']
        found = {'offset': offset, 'kind': FUNCS[given['kind']], 'flags': 0,
                 'start': given['start'], 'size': given['size'],
                 'rows': [], 'body': None}
        if given['rows'] is not None:
            at, found['rows'] = self.rows(given['rows'])
            num = len(given['rows'])
        elif given['body'] is not None:
            at, found['body'] = self.body(given['body'])
            num = len(given['body']['points'])
        if isinstance(of, tuple):
            of = self.address + self.where.get(('chain',) + of, 0)
        found['chain'] = of % WRAP
        self.where['data', number, index] = self.data_at + at
        self.found_functions.append(found)
        return self.pack(FUNC, self.relative(given['start'], offset),
                         self.relative(of, offset + 8), given['size'], at,
                         num, given['kind'], 0, 0)

    def entries(self, kind, number, given, at, size, encode):
        """The entries of a block, each as large as the block says."""
        done = b''
        for index, one in enumerate(given):
            offset = at + len(done)
            self.where[kind, number, index] = offset
            entry = encode(number, index, one, offset)
            done += entry + b'\xa5' * (size - len(entry))
        return done

    def block(self, number, given):
        """One block, and its document."""
        offset = len(self.contents)
        sizes = [least + 8 * more for least, more
                 in zip((32, 80, 32), given['grown'])]
        chains, functions = given['chains'], given['functions']
        chains_at = offset + sizes[0]
        functions_at = chains_at + sizes[1] * len(chains)
        self.data_at = functions_at + sizes[2] * len(functions)
        self.data, self.strings = bytearray(given['gap']), bytearray()
        self.share = given['share']
        self.found_chains, self.found_functions = [], []
        entries = (self.entries('chain', number, chains, chains_at,
                                sizes[1], self.chain)
                   + self.entries('function', number, functions,
                                  functions_at, sizes[2], self.function))
        self.data += bytes(-len(self.data) % 4)
        length = (sizes[0] + len(entries) + len(self.data)
                  + len(self.strings))
        tail = -length % 8 + 8 * given['tail']
        counts = [length + tail, len(chains), len(functions),
                  len(self.data), len(self.strings)]
        header = self.pack(HEADER, 0xdec0, 1, given['flags'], self.abi,
                           *sizes, *counts, 0)
        self.contents += (header + b'\x5a' * (sizes[0] - len(header))
                          + entries + self.data + self.strings
                          + bytes(tail))
        self.where['block', number] = offset
        self.note(offset, given['flags'], sizes + counts)

    def note(self, offset, flags, numbers):
        """Add the document of the block that was made last."""
        names = ('header_size', 'chain_size', 'func_size', 'length',
                 'num_chains', 'num_funcs', 'data_len', 'strings_len')
        self.document.append(dict(
            zip(names, numbers), offset=offset, version=1, flags=flags,
            address=(self.address + offset) % WRAP, abi_arch=self.name,
            chains=self.found_chains, functions=self.found_functions))


class Case:
    """One section of the corpus."""

    def __init__(self, name, blocks, abi=3, address=0x400400, after=0):
        made = Encoder(blocks, abi, address, after)
        self.name, self.abi, self.address = name, abi, address
        self.order, self.where = made.order, made.where
        self.contents = bytearray(made.contents)
        self.blocks = made.document
        self.errors, self.warnings = [], []

    def patch(self, where, at, layout, *values):
        """Change a field of a record."""
        struct.pack_into(self.order + layout, self.contents,
                         self.where[where] + at, *values)
        return self

    def warns(self, kind, record, field):
        """Expect a warning."""
        self.warnings.append([kind, record, field])
        return self

    def fails(self, kind, record, field, lost=('chain', 0, 0)):
        """Expect an error that loses an entry, or a block and what
        follows it."""
        self.errors.append([kind, record, field])
        if lost[0] == 'block':
            del self.blocks[lost[1]:]
        elif lost[0] in ('chain', 'function'):
            entries = self.blocks[lost[1]][lost[0] + 's']
            entries[:] = [one for one in entries
                          if one['offset'] != self.where[lost]]
        return self

    def write(self, folder, number):
        """Write the section and its document."""
        stem = os.path.join(folder, '%03d-%s' % (number, self.name))
        with open(stem + '.bin', 'wb') as file:
            file.write(self.contents)
        order = {'<': 'little', '>': 'big'}[self.order]
        with open(stem + '.json', 'w', encoding='ascii') as file:
            json.dump({'name': self.name, 'abi': self.abi, 'document': {
                'address': self.address, 'size': len(self.contents),
                'byte_order': order, 'blocks': self.blocks,
                'errors': self.errors, 'warnings': self.warnings}},
                file, indent=1)


# The valid part of the corpus.

def root_paths(roots, make):
    """Those paths that a selection of roots needs, and no other may have."""
    names = ('ROOT_NEXT', 'ROOT_KEY')[:min(roots, 2)]
    return {name: make() for name in names}


def kinds(abi):
    """Each value of each enumeration and flag, one at a time."""
    for kind in range(1, 7):
        yield 'head-%s' % HEADS[kind].lower(), chain(heads=[
            head(kind, {2: 40, 6: 0}.get(kind, 0x404040))])
    for kind in range(4):
        yield 'end-%s' % ENDS[kind].lower(), chain(
            end_kind=kind, end_value={2: 0x7fff0000, 3: 0x404080}.get(kind, 0))
        paths = {'NEXT': path(16), 'IP': path(0), 'TOP': path(8)}
        paths.update(root_paths(kind, lambda: path(24)))
        yield 'roots-%d' % kind, chain(roots=kind, paths=paths)
    for kind in range(5):
        paths = {'NEXT': path(8)}
        if kind:
            paths.update(IP=path(0), IP_ALT=path(4, 8))
        if kind == 4:
            paths['AUX'] = path(24, adjust=-4)
        yield 'ip-%d' % kind, chain(ip_kind=kind, paths=paths,
                                    language=abi if kind == 4 else 0)
    yield 'flags', chain(flags=15, root_frame_off=-16)
    yield 'all-paths', chain(ip_kind=4, language=0x8000 + abi, roots=2, paths={
        name: path(i, adjust=8 * i) for i, name in enumerate(PATHS)})


def shapes():
    """Paths, tests and heads of each shape."""
    extremes = [0, 1, -1, 0x7fffffff, -0x80000000]
    for num in range(5):
        yield 'path-%d' % num, chain(paths={
            'NEXT': path(*extremes[1:num + 1], adjust=8),
            'IP': path(*([8] * num), adjust=extremes[num] or 4)})
    for width in (1, 2, 4, 8):
        mask = (1 << 8 * width) - 1
        yield 'test-%d' % width, chain(tests=[
            test(1, width, 1, 4, mask, mask >> 1),
            test(1, width, 6, -4, 1, 1), test(2, width, 7, 8, mask, -8),
            test(2, width, 2, -0x80000000, mask, (1 << 63) - 1)])
    yield 'heads-4', chain(heads=[
        head(2, -8), head(2, (1 << 63) - 1, None),
        head(5, 0x404000, None, 1, WRAP - 1),
        head(4, 0x404010, path(0, 8, 16, 24, adjust=-32))])
    yield 'invalid', chain(heads=[head(5, 0x404000, None, 1, 0)])
    yield 'align', chain(ptr_align_log2=12, max_depth=NO_DATA)
    yield 'unicode', chain(name='\u0437\u0430\u0434\u0430\u0447\u0430 '
                           '\U0001f9f5 \x01\x1b[m')
    yield 'nameless', chain(name='')


def code():
    """Functions with all that may belong to them."""
    one = chain()
    yield 'site-0', block([one], [function(size=0)])
    yield 'site-big', block([one], [function(size=NO_DATA)])
    yield 'site-sorted', block([one], [
        function(0x401000 + 16 * i, 5) for i in range(9)], flags=1)
    yield 'site-equal', block([one, one], [
        function(0x401000, 5, (0, i % 2)) for i in range(4)], flags=1)
    yield 'site-unsorted', block([one], [
        function(0x401000 - 16 * i, 5) for i in range(9)])
    yield 'rows', block([chain(heads=[head(6, 0)])], [
        function(0x401000, 64, rows=[(0, 0x8000, 0, -8), (4, 7, 1, 0),
                                     (60, 255, 0, -0x80000000)]),
        function(0x402000, 64, rows=[(0, 6, 0, 0x7fffffff)]),
        function(0x403000, 64, rows=[])])
    yield 'bodies', block([one], [
        function(0x401000, 64, kind=2, body=body(
            [(0, 4), (1, 8), (0xffff, 63)], path(24), path(8))),
        function(0x402000, 64, kind=2, body=body(
            [(2, 4)], None, path(8, 16), -4, 8)),
        function(0x403000, 64, kind=2, body=body(index_size=0)),
        function(0x404000, 64, kind=2)])
    yield 'many', block([chain(name='chain.%d' % i) for i in range(40)], [
        function(0x401000 + 8 * i, 3, (0, i % 40)) for i in range(300)],
        flags=1)


def sections():
    """Several blocks, their padding, and what grows."""
    one, two = chain(), chain(name='task')
    yield 'empty', [], 0
    yield 'zeros', [], 40
    yield 'void', [block()], 0
    yield 'suffix', [block([one, two])], 0
    yield 'padded', [block([one], before=2, tail=3),
                     block([], [function()], before=5)], 24
    yield 'ragged', [block([one])], 5
    yield 'backward', [block([], [function(of=(2, 1))]),
                       block([], [function(of=(2, 0))], flags=1),
                       block([one, two])], 0
    yield 'grown', [block([one, two], [function()], grown=(1, 2, 3)),
                    block([one], [function(of=(1, 0))],
                          grown=(27, 21, 27))], 0
    yield 'gap', [block([one], [function()], gap=b'\xff' * 12),
                  block([two], gap=bytes(4), share=False)], 0


def random_path(numbers):
    """A path that leads somewhere."""
    offs = [numbers.signed(32) for _ in range(numbers.below(5))]
    adjust = numbers.choose([None, 8, numbers.signed(32) | 1])
    return path(*offs, adjust=adjust) if offs else path(adjust=adjust or 4)


def random_test(numbers):
    """A test that obeys the rules for producers."""
    width = numbers.choose([1, 2, 4, 8])
    mask = numbers.below(1 << 8 * width) | 1
    kind = 1 + numbers.below(2)
    value = numbers.signed(64) if kind == 2 else numbers.below(WRAP) & mask
    return test(kind, width, 1 + numbers.below(7), numbers.signed(32), mask,
                value)


def random_head(numbers):
    """A head of any kind."""
    kind = 1 + numbers.below(6)
    value = numbers.choose([0, 0x404040, WRAP - 8, numbers.below(WRAP)])
    value = {2: numbers.signed(64), 6: 0}.get(kind, value)
    flags = numbers.below(2)
    return head(kind, value, numbers.choose([None, random_path(numbers)]),
                flags, numbers.below(WRAP) if flags else 0)


def random_chain(numbers):
    """A chain that obeys the rules for producers."""
    ip_kind, flags = numbers.below(5), numbers.below(16)
    end_kind = numbers.below(4)
    roots = numbers.below(4)
    given = [one for one in ('TOP', 'BLOCKED') if numbers.below(2)]
    given += ['NEXT', *root_paths(roots, lambda: None)]
    given += ['IP', 'IP_ALT'][:1 + numbers.below(2)] if ip_kind else []
    given += ['AUX'] if ip_kind == 4 else []
    return chain(
        name=numbers.choose(['', 'a', 'demo.task', 'task', '\u00e4\u20ac']),
        flags=flags, ip_kind=ip_kind, end_kind=end_kind,
        roots=roots, ptr_align_log2=numbers.below(13),
        language=1 + numbers.below(0xffff) if ip_kind == 4 else 0,
        max_depth=numbers.below(1 << 32),
        root_frame_off=numbers.signed(32) if flags & 4 else 0,
        end_value=numbers.below(1 << 43) + 1 << 12 if end_kind >= 2 else 0,
        heads=[random_head(numbers) for _ in range(1 + numbers.below(4))],
        tests=[random_test(numbers) for _ in range(numbers.below(5))],
        paths={name: random_path(numbers) for name in given})


def random_function(numbers, start, of):
    """A site or a body, with rows or points as may be."""
    num = numbers.below(6)
    size = 64 + numbers.below(0x4000)
    if numbers.below(3):
        rows = [(i * 4, numbers.choose([0x8000, 7, 31]), numbers.below(2),
                 numbers.signed(32)) for i in range(num)]
        return function(start, size, of, 1, numbers.choose([None, rows]))
    made = body([(numbers.below(1 << 8), numbers.below(size))
                 for _ in range(num)], random_path(numbers), None,
                numbers.signed(32), numbers.choose([1, 2, 4, 8]))
    return function(start, size, of, 2, body=numbers.choose([None, made]))


def random_case(seed):
    """A section with a bit of everything."""
    numbers = Numbers(seed)
    total = 1 + numbers.below(4)
    counts = [1 + numbers.below(3) for _ in range(total)]
    start = numbers.choose([0x401000, 0x7fff00000000, 0x100000])
    blocks = []
    for i in range(total):
        functions = []
        for _ in range(numbers.below(8)):
            to = numbers.below(total)
            of = to, numbers.below(counts[to])
            functions.append(random_function(numbers, start, of))
            start += 0x10000
        blocks.append(block(
            [random_chain(numbers) for _ in range(counts[i])], functions,
            flags=numbers.below(2), before=numbers.below(3),
            tail=numbers.below(3), share=numbers.below(2) == 0,
            gap=bytes(4 * numbers.below(3)),
            grown=[numbers.choose([0, 0, 1, 4]) for _ in range(3)]))
    return Case('random', blocks, 1 + seed % 4,
                numbers.choose([0, 0x400400, WRAP - 64, 1 << 63]),
                numbers.below(20))


def wraps(abi):
    """Addresses beyond which the address space starts again."""
    for address in (0, 8, 1 << 63, WRAP - 8):
        yield Case('wrap', [block(
            [chain(end_kind=3, end_value=target,
                   heads=[head(4, target), head(3, WRAP - 1 - target)])],
            [function(target, 4)]) for target in (0, WRAP - 1, 1 << 63)],
            abi, address).warns('wrap', 'function', 'size')


def valid():
    """All sections that have no defect."""
    for abi in ABIS:
        for name, one in kinds(abi):
            yield Case(name, [block([one])], abi)
        for name, one in shapes():
            yield Case(name, [block([one], [function()])], abi)
        for name, one in code():
            case = Case(name, [one], abi)
            for _ in range(2 if name == 'site-equal' else 0):
                case.warns('twin', 'function', 'start')
            yield case
        for name, blocks, after in sections():
            # Zeros do not tell their byte order.
            if blocks or ABIS[abi][1] == '<':
                yield Case(name, blocks, abi, 0x400400, after)
        yield from wraps(abi)
    for seed in range(1, 61):
        yield random_case(seed)


# What only a validator objects to.

def plain(abi, name='plain'):
    """A section of two blocks that has one of everything."""
    one = chain(heads=[head(), head(2, 8)],
                tests=[test(1, 4, 1, 8, 0xff, 3), test(2, 8, 4, 0)])
    return Case(name, [
        block([one, chain(name='other')],
              [function(),
               function(0x401010, 16, rows=[(0, 7, 0, 8), (4, 7, 0, 16)]),
               function(0x402000, 64, kind=2, body=body(
                   [(0, 4), (1, 8)], path(24, adjust=8), path(8)))],
              share=False),
        block([], [function(0x401100)])], abi, 0x400400, 8)


BLOCK, ENTRY, HEAD0 = ('block', 0), ('chain', 0, 0), ('head', 0, 0, 0)
TEST0, NEXT0 = ('tests', 0, 0), ('next', 0, 0)
SITE0, SITE1, BODY0 = [('function', 0, i) for i in range(3)]

# name: record, offset, format, value, and the warning
FROWNED = {
    'header-flag': (BLOCK, 3, 'B', 2, 'reserved', 'block header', 'flags'),
    'header-reserved': (BLOCK, 28, 'I', 1,
                        'reserved', 'block header', 'reserved'),
    'chain-flag': (ENTRY, 4, 'I', 0x10, 'reserved', 'chain', 'flags'),
    'chain-reserved': (ENTRY, 72, 'Q', 1 << 63,
                       'reserved', 'chain', 'reserved'),
    'chain-end-value': (ENTRY, 24, 'Q', 1, 'unused', 'chain', 'end_value'),
    'chain-root-frame': (ENTRY, 20, 'i', 8,
                         'unused', 'chain', 'root_frame_off'),
    'chain-language': (ENTRY, 14, 'H', 1, 'unused', 'chain', 'language'),
    'next-none': (ENTRY, 44, 'I', NO_DATA, 'missing', 'chain', 'path[1]'),
    'ip-none': (ENTRY, 48, 'I', NO_DATA, 'no-ip', 'chain', 'ip_kind'),
    'roots-all': (ENTRY, 12, 'B', 1, 'missing', 'chain', 'roots'),
    'path-reserved': (NEXT0, 2, 'H', 1, 'reserved', 'path', 'reserved'),
    'path-flag': (NEXT0, 1, 'B', 2, 'reserved', 'path', 'flags'),
    'head-reserved': (HEAD0, 2, 'H', 1, 'reserved', 'head', 'reserved'),
    'head-flag': (HEAD0, 1, 'B', 2, 'reserved', 'head', 'flags'),
    'head-invalid': (HEAD0, 16, 'Q', 1, 'unused', 'head', 'invalid'),
    'test-reserved': (TEST0, 3, 'B', 1, 'reserved', 'test', 'reserved'),
    'test-action': (TEST0, 2, 'B', 9, 'value', 'test', 'actions'),
    'actions-0': (TEST0, 2, 'B', 0, 'value', 'test', 'actions'),
    'test-mask': (TEST0, 8, 'Q', 0xff00000000, 'mask', 'test', 'mask'),
    'test-value': (TEST0, 16, 'Q', 0x103, 'mask', 'test', 'value'),
    'func-flag': (SITE0, 27, 'B', 1, 'reserved', 'function', 'flags'),
    'func-reserved': (SITE0, 28, 'I', 1,
                      'reserved', 'function', 'reserved'),
    'func-chain': (SITE0, 8, 'q', 0, 'reference', 'function', 'chain'),
    'row-flag': (('data', 0, 1), 6, 'H', 2, 'reserved', 'row', 'flags'),
    'row-base': (('data', 0, 1), 4, 'H', 0x8001, 'value', 'row', 'base'),
    'row-order': (('data', 0, 1), 0, 'I', 4, 'order', 'row', 'pc_off'),
    'row-range': (('data', 0, 1), 12, 'I', 17, 'range', 'row', 'pc_off'),
    'point-range': (('data', 0, 2), 20, 'I', 64, 'range', 'point', 'pc_off'),
    'point-wide': (('data', 0, 2), 16, 'I', 0x10000,
                   'index', 'point', 'index'),
    'index-none': (('data', 0, 2), 12, 'B', 0, 'index', 'body',
                   'index_size'),
    'body-void': (BODY0, 16, 'I', 0, 'code', 'function', 'start'),
    'body-flag': (('data', 0, 2), 13, 'B', 1, 'reserved', 'body', 'flags'),
    'body-reserved': (('data', 0, 2), 14, 'H', 1,
                      'reserved', 'body', 'reserved'),
}


def frowned(abi):
    """Sections that are usable all the same.

    Their documents hold what is in the bytes, so they are compared by the
    warnings only."""
    for name, (where, at, layout, value, *warning) in FROWNED.items():
        case = plain(abi, 'frowned-' + name)
        case.patch(where, at, layout, value).warns(*warning)
        case.blocks = None
        if name == 'test-mask':
            case.warns('mask', 'test', 'value')
        if name == 'body-void':
            case.warnings[:0] = [['range', 'point', 'pc_off']] * 2
        yield case
    case = Case('frowned-tail', [block([chain()], tail=2)], abi)
    case.contents[-9] = 1
    yield case.warns('padding', 'block header', 'length')
    for name, text in (('utf8', b'\xc3\x28'), ('surrogate', b'\xed\xa0\x80')):
        case = plain(abi, 'frowned-' + name)
        at = case.contents.find(b'demo.task')
        case.contents[at:at + len(text)] = text
        case.blocks = None
        yield case.warns('utf8', 'chain', 'name')
    for name, blocks, warning in (
            ('unsorted', [block([chain()], [function(), function(0x401000)],
                                flags=1)],
             ('sorted', 'function', 'start')),
            ('useless-path', [block([chain(paths={
                'NEXT': path(8), 'IP': path()})])],
             ('path', 'path', 'num_offs')),
            ('overlap', [block([chain()], [function(), function(0x401005)])],
             ('overlap', 'function', 'start'))):
        yield Case('frowned-' + name, blocks, abi).warns(*warning)


# The malformed part of the corpus.

# name: offset, format, value, kind of error, field
BAD_BLOCKS = {
    'magic': (0, 'H', 0xdec1, 'magic', 'magic'),
    'version-0': (2, 'B', 0, 'version', 'version'),
    'version-2': (2, 'B', 2, 'version', 'version'),
    'abi-0': (4, 'B', 0, 'unknown', 'abi_arch'),
    'abi-5': (4, 'B', 5, 'unknown', 'abi_arch'),
    'header-size-24': (5, 'B', 24, 'size', 'header_size'),
    'header-size-36': (5, 'B', 36, 'size', 'header_size'),
    'chain-size-0': (6, 'B', 0, 'size', 'chain_size'),
    'chain-size-72': (6, 'B', 72, 'size', 'chain_size'),
    'chain-size-81': (6, 'B', 81, 'size', 'chain_size'),
    'func-size-24': (7, 'B', 24, 'size', 'func_size'),
    'func-size-33': (7, 'B', 33, 'size', 'func_size'),
    'length-0': (8, 'I', 0, 'length', 'length'),
    'length-24': (8, 'I', 24, 'length', 'length'),
    'length-odd': (8, 'I', 36, 'length', 'length'),
    'length-40': (8, 'I', 40, 'area', 'num_chains'),
    'length-beyond': (8, 'I', 0x10000, 'truncated', 'length'),
    'length-most': (8, 'I', 0xfffffff8, 'truncated', 'length'),
    'chains-most': (12, 'I', NO_DATA, 'area', 'num_chains'),
    'chains-wrap': (12, 'I', 1 << 28, 'area', 'num_chains'),
    'funcs-most': (16, 'I', NO_DATA, 'area', 'num_funcs'),
    'funcs-wrap': (16, 'I', 1 << 27, 'area', 'num_funcs'),
    'data-len-odd': (20, 'I', 2, 'size', 'data_len'),
    'data-len-most': (20, 'I', 0xfffffffc, 'area', 'data_len'),
    'strings-most': (24, 'I', NO_DATA, 'area', 'strings_len'),
}

# name: record, offset, format, value, kind of error, record, field
BAD_RECORDS = {
    'heads-0': (ENTRY, 8, 'B', 0, 'count', 'chain', 'num_heads'),
    'heads-5': (ENTRY, 8, 'B', 5, 'count', 'chain', 'num_heads'),
    'tests-5': (ENTRY, 9, 'B', 5, 'count', 'chain', 'num_tests'),
    'ip-kind': (ENTRY, 10, 'B', 5, 'unknown', 'chain', 'ip_kind'),
    'end-kind': (ENTRY, 11, 'B', 4, 'unknown', 'chain', 'end_kind'),
    'roots': (ENTRY, 12, 'B', 4, 'unknown', 'chain', 'roots'),
    'align': (ENTRY, 13, 'B', 13, 'value', 'chain', 'ptr_align_log2'),
    'name': (ENTRY, 0, 'I', 0x1000, 'bounds', 'chain', 'name'),
    'name-most': (ENTRY, 0, 'I', NO_DATA, 'bounds', 'chain', 'name'),
    'heads-none': (ENTRY, 32, 'I', NO_DATA, 'missing', 'chain', 'heads'),
    'heads-odd': (ENTRY, 32, 'I', 4, 'alignment', 'chain', 'heads'),
    'heads-far': (ENTRY, 32, 'I', 0x10000, 'bounds', 'chain', 'heads'),
    'heads-most': (ENTRY, 32, 'I', 0xfffffff8, 'bounds', 'chain', 'heads'),
    'tests-none': (ENTRY, 36, 'I', NO_DATA, 'missing', 'chain', 'tests'),
    'tests-odd': (ENTRY, 36, 'I', 12, 'alignment', 'chain', 'tests'),
    'tests-far': (ENTRY, 36, 'I', 0x10000, 'bounds', 'chain', 'tests'),
    'path-odd': (ENTRY, 40, 'I', 2, 'alignment', 'chain', 'path[0]'),
    'path-far': (ENTRY, 68, 'I', 0x10000, 'bounds', 'chain', 'path[7]'),
    'path-5': (NEXT0, 0, 'B', 5, 'count', 'path', 'num_offs'),
    'head-0': (HEAD0, 0, 'B', 0, 'unknown', 'head', 'kind'),
    'head-7': (HEAD0, 0, 'B', 7, 'unknown', 'head', 'kind'),
    'head-path-odd': (HEAD0, 4, 'I', 1, 'alignment', 'head', 'path'),
    'head-path-far': (HEAD0, 4, 'I', 0x10000, 'bounds', 'head', 'path'),
    'test-0': (TEST0, 0, 'B', 0, 'unknown', 'test', 'kind'),
    'test-3': (TEST0, 0, 'B', 3, 'unknown', 'test', 'kind'),
    'width-0': (TEST0, 1, 'B', 0, 'value', 'test', 'width'),
    'width-3': (TEST0, 1, 'B', 3, 'value', 'test', 'width'),
    'width-16': (TEST0, 1, 'B', 16, 'value', 'test', 'width'),
    'func-0': (SITE0, 26, 'B', 0, 'unknown', 'function', 'kind'),
    'func-3': (SITE0, 26, 'B', 3, 'unknown', 'function', 'kind'),
    'site-num': (SITE0, 24, 'H', 1, 'missing', 'function', 'data'),
    'rows-odd': (SITE1, 20, 'I', 2, 'alignment', 'function', 'data'),
    'rows-far': (SITE1, 20, 'I', 0x10000, 'bounds', 'function', 'data'),
    'rows-most': (SITE1, 24, 'H', 0xffff, 'bounds', 'function', 'data'),
    'body-odd': (BODY0, 20, 'I', 1, 'alignment', 'function', 'data'),
    'points-most': (BODY0, 24, 'H', 0xffff, 'bounds', 'function', 'data'),
    'body-next': (('data', 0, 2), 0, 'I', 0x10000,
                  'bounds', 'body', 'next'),
    'body-ip': (('data', 0, 2), 4, 'I', 2, 'alignment', 'body', 'ip'),
    'index-size': (('data', 0, 2), 12, 'B', 3,
                   'value', 'body', 'index_size'),
}


def other_bad(abi):
    """Defects that are not in one field."""
    case = plain(abi, 'bad-second')
    yield case.patch(('block', 1), 2, 'B', 9).fails(
        'version', 'block header', 'version', ('block', 1))
    case = plain(abi, 'bad-mixed')
    swapped = {1: 4, 4: 1, 2: 3, 3: 2}[abi]
    yield case.patch(('block', 1), 4, 'B', swapped).fails(
        'abi', 'block header', 'abi_arch', ('block', 1))
    case = plain(abi, 'bad-order')
    yield case.patch(BLOCK, 4, 'B', {1: 2, 2: 1, 3: 4, 4: 3}[abi]).fails(
        'byte-order', 'block header', 'abi_arch', BLOCK)
    case = plain(abi, 'bad-trail')
    case.contents[-1] = 1
    yield case.fails('truncated', 'block header', None, ('none',))
    case = plain(abi, 'bad-header-cut')
    del case.contents[31:]
    yield case.fails('truncated', 'block header', None, BLOCK)
    for name, at, field, value, error in (
            ('name-open', 24, 'strings_len', 9, ('string', 'name')),
            ('name-void', 24, 'strings_len', 0, ('bounds', 'name')),
            ('data-short', 20, 'data_len', 32, ('bounds', 'path[1]'))):
        case = Case('bad-' + name, [block([chain()])], abi)
        case.blocks[0][field] = value
        yield case.patch(BLOCK, at, 'I', value).fails(
            error[0], 'chain', error[1])


def hostile():
    """A section that claims as much work as it can."""
    rows = [(i, 7, 0, 0) for i in range(65535)]
    functions = [function(0x401000 + 8 * i, 4, rows=rows)
                 for i in range(2000)]
    case = Case('hostile', [block([chain()], functions[:1])])
    size = case.blocks[0]['length']
    made = struct.pack('<' + HEADER, 0xdec0, 1, 0, 3, 32, 80, 32,
                       size + 32 * 1999, 1, 2000,
                       *(case.blocks[0][field] for field in (
                           'data_len', 'strings_len')), 0)
    entry = bytes(case.contents[112:144])
    case.contents[112:144] = entry * 2000
    case.contents[:32] = made
    case.blocks = None
    case.errors.append(['limit', 'row', None])
    return case


def malformed():
    """All sections that have a defect."""
    for abi in ABIS:
        for name, (at, layout, value, kind, field) in BAD_BLOCKS.items():
            case = plain(abi, 'bad-' + name).patch(BLOCK, at, layout, value)
            yield case.fails(kind, 'block header', field, BLOCK)
        for name, (where, at, layout, value, *error) in BAD_RECORDS.items():
            case = plain(abi, 'bad-' + name).patch(where, at, layout, value)
            lost = {'head': ENTRY, 'tests': ENTRY, 'next': ENTRY,
                    'data': BODY0}.get(where[0], where)
            yield case.fails(*error, lost)
        yield from other_bad(abi)
    yield hostile()


def main():
    """Write the corpus to a folder."""
    if len(sys.argv) != 2:
        print('usage: generate.py FOLDER', file=sys.stderr)
        return 2
    os.makedirs(sys.argv[1], exist_ok=True)
    number = 0
    for source in (valid(), (case for abi in ABIS for case in frowned(abi)),
                   malformed()):
        for case in source:
            number += 1
            case.write(sys.argv[1], number)
    print('%d sections' % number)
    return 0


if __name__ == '__main__':
    sys.exit(main())
