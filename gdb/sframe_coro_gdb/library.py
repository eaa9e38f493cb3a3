"""The library, libsframe-coro, as gdb's Python can call it.

The structures are those of sframe-coro-api.h, name by name; testsuite/gdb has
the compiler compare them.

Copyright (C) 2026 The libsframe-coro authors.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_int,
                    c_int32, c_int64, c_size_t, c_uint, c_uint8, c_uint16,
                    c_uint32, c_uint64, c_void_p)

# Set by sframe-coro-gdb.py: where the library is installed, and the version
# that has these structures.
PATH = "libsframe-coro.so.0"
VERSION = None

# What of the format and of the interface is used by name.
HEAD_KINDS = ["?", "tls", "tls_offset", "tp_slot", "global", "pthread_key",
              "frame"]
HEAD_FRAME = 6
PATH_IP, PATH_AUX, NUM_PATHS = 2, 4, 8
MAX_HEADS, MAX_TESTS, MAX_PATH_OFFS = 4, 4, 4
IP_NONE, IP_FUNCTION_ENTRY, IP_RETURN_ADDRESS, IP_COOKIE = 0, 1, 2, 4
CHAIN_HEAD_IS_RUNNING, CHAIN_PROCESS_SCOPE = 1, 2
FUNC_SITE = 1
BASE_CFA = 0x8000
LIBC_UNKNOWN, LIBC_GLIBC, LIBC_MUSL = 0, 1, 2
TLS_UNKNOWN, TLS_STATIC, TLS_DYNAMIC = 0, 1, 2
NODE_ALT_IP, NODE_NO_IP = 4, 8
NATIVE_RETURN_ADDRESS, NATIVE_CFA = 1, 2
SPLICED_RUNNING, SPLICED_AWAITING, SPLICED_NO_SITE = 1, 2, 4
STOP_END, STOP_UNREADABLE = 0, 5
ERR_OK = 0
NO_INDEX = c_size_t(-1).value


class Error(Exception):
    """The library is missing, or says that something is wrong."""


class Where(Structure):
    _fields_ = [("offset", c_size_t), ("block", c_size_t),
                ("index", c_size_t), ("record", c_char_p),
                ("field", c_char_p)]


class Section(Structure):
    _fields_ = [("bytes", c_void_p), ("size", c_size_t),
                ("address", c_uint64), ("abi_arch", c_uint8),
                ("swap", c_bool)]


class Path(Structure):
    _fields_ = [("given", c_uint8), ("num_offs", c_uint8),
                ("off", c_int32 * MAX_PATH_OFFS), ("adjust", c_int32)]


class Head(Structure):
    _fields_ = [("kind", c_uint8), ("flags", c_uint8), ("value", c_uint64),
                ("invalid", c_uint64), ("path", Path)]


class Test(Structure):
    _fields_ = [("kind", c_uint8), ("width", c_uint8), ("actions", c_uint8),
                ("off", c_int32), ("mask", c_uint64), ("value", c_uint64)]


class Chain(Structure):
    _fields_ = [("address", c_uint64), ("name", c_char_p),
                ("flags", c_uint32), ("abi_arch", c_uint8),
                ("swap", c_uint8), ("num_heads", c_uint8),
                ("num_tests", c_uint8), ("ip_kind", c_uint8),
                ("end_kind", c_uint8), ("roots", c_uint8),
                ("ptr_align_log2", c_uint8), ("language", c_uint16),
                ("max_depth", c_uint32), ("root_frame_off", c_int32),
                ("end_value", c_uint64), ("head", Head * MAX_HEADS),
                ("test", Test * MAX_TESTS), ("path", Path * NUM_PATHS)]


class Func(Structure):
    _fields_ = [("start", c_uint64), ("chain", c_uint64), ("size", c_uint32),
                ("kind", c_uint8), ("num", c_uint16), ("data", c_size_t)]


class Row(Structure):
    _fields_ = [("pc_off", c_uint32), ("base", c_uint16),
                ("flags", c_uint16), ("off", c_int32)]


class IndexChain(Structure):
    _fields_ = [("chain", Chain), ("module", c_void_p)]


ReadFn = CFUNCTYPE(c_int, c_void_p, c_uint64, c_void_p, c_size_t)
RegisterFn = CFUNCTYPE(c_int, c_void_p, c_uint, POINTER(c_uint64))


class Memory(Structure):
    _fields_ = [("read", ReadFn), ("arg", c_void_p)]


class Thread(Structure):
    _fields_ = [("tp", c_uint64), ("tid", c_uint64), ("libc", c_int)]


class TlsBlock(Structure):
    _fields_ = [("kind", c_int), ("tp_offset", c_int64),
                ("module_id", c_uint64)]


class Bodies(Structure):
    _fields_ = [("find", c_void_p), ("arg", c_void_p)]


class Node(Structure):
    _fields_ = [("address", c_uint64), ("ip", c_uint64), ("aux", c_uint64),
                ("resume_pc", c_uint64), ("flags", c_uint32),
                ("index", c_uint32)]


class Walker(Structure):
    _fields_ = [("memory", POINTER(Memory)), ("thread", POINTER(Thread)),
                ("block", POINTER(TlsBlock)), ("bodies", POINTER(Bodies)),
                ("frame_head", POINTER(c_uint64))]


class Root(Structure):
    _fields_ = [("address", c_uint64), ("frame", c_uint64),
                ("blocked", c_uint64), ("first", c_size_t),
                ("num", c_size_t), ("stop", c_int)]


class Native(Structure):
    _fields_ = [("pc", c_uint64), ("cfa", c_uint64),
                ("func_start", c_uint64), ("func_end", c_uint64),
                ("node", c_uint64), ("flags", c_uint32)]


class List(Structure):
    _fields_ = [("chain", c_size_t), ("nodes", POINTER(Node)),
                ("num", c_size_t), ("head_is_running", c_bool),
                ("frame", c_uint64)]


IsSiteFn = CFUNCTYPE(c_bool, c_void_p, c_size_t, POINTER(Native))
IsFunctionFn = CFUNCTYPE(c_bool, c_void_p, c_uint64, POINTER(Native))


class SpliceOps(Structure):
    _fields_ = [("is_site", IsSiteFn), ("is_function", IsFunctionFn),
                ("arg", c_void_p)]


class Spliced(Structure):
    _fields_ = [("native", c_size_t), ("list", c_size_t), ("node", c_size_t),
                ("flags", c_uint32)]


# The structures by the names they have in C.
STRUCTURES = {
    "where": Where, "section": Section, "path": Path, "head": Head,
    "test": Test, "chain": Chain, "func": Func, "row": Row,
    "index_chain": IndexChain, "memory": Memory, "thread": Thread,
    "tls_block": TlsBlock, "bodies": Bodies, "node": Node, "walker": Walker,
    "root": Root, "native": Native, "list": List, "splice_ops": SpliceOps,
    "spliced": Spliced}

# Functions: what they return, and what they take.
FUNCTIONS = {
    "version": (c_char_p, []),
    "errmsg": (c_char_p, [c_int]),
    "stop_text": (c_char_p, [c_int]),
    "stop_is_cut": (c_bool, [c_int]),
    "section_open": (c_int, [POINTER(Section), c_void_p, c_size_t, c_uint64,
                             POINTER(Where)]),
    "index_new": (c_void_p, []),
    "index_free": (None, [c_void_p]),
    "index_add": (c_int, [c_void_p, POINTER(Section), c_void_p,
                          POINTER(Where)]),
    "index_finish": (c_int, [c_void_p]),
    "index_num_chains": (c_size_t, [c_void_p]),
    "index_chain_at": (POINTER(IndexChain), [c_void_p, c_size_t]),
    "index_find": (POINTER(Func), [c_void_p, c_uint64, c_int,
                                   POINTER(c_size_t), POINTER(c_size_t)]),
    "index_row": (c_int, [c_void_p, POINTER(Func), c_uint64, POINTER(Row)]),
    "index_bodies": (Bodies, [c_void_p]),
    "row_head": (c_int, [POINTER(Row), c_bool, POINTER(Memory), c_uint64,
                         RegisterFn, c_void_p, POINTER(c_uint64)]),
    "chain_equal": (c_bool, [POINTER(Chain), POINTER(Chain)]),
    "walk_roots": (c_int, [POINTER(Chain), POINTER(Walker), POINTER(Node),
                           c_size_t, POINTER(Root), c_size_t,
                           POINTER(c_size_t), POINTER(c_uint64)]),
    "splice": (c_int, [POINTER(Native), c_size_t, POINTER(List), c_size_t,
                       POINTER(SpliceOps), POINTER(Spliced), c_size_t,
                       POINTER(c_size_t)]),
}


class Library:
    """The functions, without `sframe_coro_' before their names."""

    def __init__(self):
        path = os.environ.get("SFRAME_CORO_LIBRARY") or PATH
        try:
            loaded = ctypes.CDLL(path)
        except OSError as error:
            raise Error(f"cannot load the library: {error}") from None
        try:
            for name, (result, arguments) in FUNCTIONS.items():
                function = getattr(loaded, "sframe_coro_" + name)
                function.restype, function.argtypes = result, arguments
                setattr(self, name, function)
        except AttributeError as error:
            raise Error(f"not the library it should be: {error}") from None
        version = self.version().decode()
        if VERSION is not None and version != VERSION:
            raise Error(f"{path} is version {version}, not {VERSION}")

    def text(self, err):
        """The message of error ERR."""
        return self.errmsg(err).decode()


_library = None


def get():
    """The library, which is loaded when it is first needed."""
    global _library
    if _library is None:
        _library = Library()
    return _library
