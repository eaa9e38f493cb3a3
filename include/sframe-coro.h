/* The .sframe_coro format: linked-list stacks next to .sframe.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   This header is the byte layout of the section and nothing else; it stays
   in sync with doc/sframe-coro-spec.texi, and a difference between the two
   is a defect to report.  Functions that read and write the format are in
   sframe-coro-api.h.

   All structures have naturally aligned fields and no padding; the byte
   order is that of the target.  "PC-relative" means: a signed 64-bit number
   which, added to the address of the very field that holds it, gives the
   address meant.  "Data offset" means: a byte offset into the data area of
   the block the record is in.  */

#ifndef SFRAME_CORO_H
#define SFRAME_CORO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#define SFRAME_CORO_STATIC_ASSERT(COND, TEXT) static_assert (COND, TEXT)
#else
#define SFRAME_CORO_STATIC_ASSERT(COND, TEXT) _Static_assert (COND, TEXT)
#endif

#define SFRAME_CORO_SECTION_NAME ".sframe_coro"
/* Where assemblers put the never-executed TLS stubs.  */
#define SFRAME_CORO_STUB_SECTION_NAME ".text.sframe_coro"

/* p_type of a program header that covers exactly the section, where a linker
   writes one.  Experimental: no registry has this number yet.  */
#define SFRAME_CORO_SEGMENT_TYPE 0x6474e54f

/* Neither byte order of this value is the other one, nor SFrame's 0xdee2.  */
#define SFRAME_CORO_MAGIC 0xdec0
#define SFRAME_CORO_VERSION 1
#define SFRAME_CORO_ALIGN 8

/* No record: what a data offset holds when there is nothing to refer to.  */
#define SFRAME_CORO_NO_DATA UINT32_C (0xffffffff)

/* ABI and architecture; the numbers are SFrame's.  */
enum sframe_coro_abi
{
  SFRAME_CORO_ABI_AARCH64_BE = 1,
  SFRAME_CORO_ABI_AARCH64_LE = 2,
  SFRAME_CORO_ABI_AMD64_LE = 3,
  SFRAME_CORO_ABI_S390X_BE = 4
};

/* Header flags.  */
#define SFRAME_CORO_F_FUNCS_SORTED 0x1 /* Functions ascend by start, and those
					  of one kind that overlap are equal:
					  a binary search finds them.  */

/* Limits that every reader may rely on.  */
#define SFRAME_CORO_MAX_HEADS 4
#define SFRAME_CORO_MAX_TESTS 4
#define SFRAME_CORO_MAX_PATH_OFFS 4

/* The block header.  A section is a sequence of blocks; each is 8-aligned
   and stands alone; bytes between blocks are zero.  The records follow in
   this order without gaps: chains, functions, data, strings.  */
typedef struct sframe_coro_header
{
  uint16_t magic;	/*  0: SFRAME_CORO_MAGIC.  */
  uint8_t version;	/*  2: SFRAME_CORO_VERSION.  */
  uint8_t flags;	/*  3: SFRAME_CORO_F_*.  */
  uint8_t abi_arch;	/*  4: enum sframe_coro_abi.  */
  uint8_t header_size;	/*  5: bytes of this header; a multiple of 8.  */
  uint8_t chain_size;	/*  6: bytes from one chain to the next; ditto.  */
  uint8_t func_size;	/*  7: bytes from one function to the next; ditto.  */
  uint32_t length;	/*  8: bytes of the whole block; a multiple of 8.  */
  uint32_t num_chains;	/* 12 */
  uint32_t num_funcs;	/* 16 */
  uint32_t data_len;	/* 20: bytes of the data area; a multiple of 4.  */
  uint32_t strings_len; /* 24: bytes of the string area.  */
  uint32_t reserved;	/* 28: zero.  */
} sframe_coro_header;

/* The paths of a chain, in the order of sframe_coro_chain_entry.path.  */
enum sframe_coro_path_id
{
  SFRAME_CORO_PATH_TOP = 0,	  /* From a root to its first node.  */
  SFRAME_CORO_PATH_NEXT = 1,	  /* From a node to the next.  */
  SFRAME_CORO_PATH_IP = 2,	  /* From a node to its IP.  */
  SFRAME_CORO_PATH_IP_ALT = 3,	  /* The same, where the first gives 0.  */
  SFRAME_CORO_PATH_AUX = 4,	  /* To the second word of a cookie.  */
  SFRAME_CORO_PATH_ROOT_NEXT = 5, /* From a root to the next root.  */
  SFRAME_CORO_PATH_ROOT_KEY = 6,  /* From a root to its selection key.  */
  SFRAME_CORO_PATH_BLOCKED = 7,	  /* From a list's last node to the root whose
				     native frames go on below it.  */
  SFRAME_CORO_NUM_PATHS = 8
};

/* What the IP of a node is.  */
enum sframe_coro_ip_kind
{
  SFRAME_CORO_IP_NONE = 0,	     /* Nodes carry no IP.  */
  SFRAME_CORO_IP_FUNCTION_ENTRY = 1, /* First instruction of a function.  */
  SFRAME_CORO_IP_RETURN_ADDRESS = 2, /* Subtract one before a lookup.  */
  SFRAME_CORO_IP_EXACT_PC = 3,
  SFRAME_CORO_IP_COOKIE = 4 /* Opaque; `language' says whose.  */
};

/* Language identifiers of cookies.  */
enum sframe_coro_language
{
  SFRAME_CORO_LANG_NONE = 0,
  SFRAME_CORO_LANG_PYTHON = 1,
  SFRAME_CORO_LANG_LUA = 2,
  SFRAME_CORO_LANG_RUBY = 3,
  SFRAME_CORO_LANG_PHP = 4,
  SFRAME_CORO_LANG_PRIVATE = 0x8000 /* From here on: private agreements.  */
};

/* How a list ends, besides a null node, which always ends one.  */
enum sframe_coro_end_kind
{
  SFRAME_CORO_END_NULL = 0,
  SFRAME_CORO_END_SELF = 1,   /* A node whose next is itself is the last.  */
  SFRAME_CORO_END_VALUE = 2,  /* A node equal to `end_value' is no node.  */
  SFRAME_CORO_END_ADDRESS = 3 /* Ditto; `end_value' is PC-relative.  */
};

/* Which of several roots are a thread's.  */
enum sframe_coro_roots
{
  SFRAME_CORO_ROOTS_NONE = 0,	/* The head gives the one root.  */
  SFRAME_CORO_ROOTS_ALL = 1,	/* All that the head's list of roots holds.  */
  SFRAME_CORO_ROOTS_BY_TID = 2, /* Those whose key is the thread's kernel ID.  */
  SFRAME_CORO_ROOTS_BY_TP = 3	/* Those whose key is the thread pointer.  */
};

/* Chain flags.  */
#define SFRAME_CORO_CHAIN_HEAD_IS_RUNNING 0x1 /* The first node is executing,
						 not awaiting.  */
#define SFRAME_CORO_CHAIN_PROCESS_SCOPE 0x2   /* The lists belong to the
						 process, not to a thread.  */
#define SFRAME_CORO_CHAIN_ROOT_FRAME 0x4      /* root_frame_off is meant.  */
#define SFRAME_CORO_CHAIN_IP_PTRAUTH 0x8      /* IPs carry a pointer
						 authentication code.  */

/* A linked-list stack FDE.  A chain is referred to by its address.  */
typedef struct sframe_coro_chain_entry
{
  uint32_t name;	  /*  0: offset into the string area.  */
  uint32_t flags;	  /*  4: SFRAME_CORO_CHAIN_*.  */
  uint8_t num_heads;	  /*  8: 1 to SFRAME_CORO_MAX_HEADS.  */
  uint8_t num_tests;	  /*  9: 0 to SFRAME_CORO_MAX_TESTS.  */
  uint8_t ip_kind;	  /* 10: enum sframe_coro_ip_kind.  */
  uint8_t end_kind;	  /* 11: enum sframe_coro_end_kind.  */
  uint8_t roots;	  /* 12: enum sframe_coro_roots.  */
  uint8_t ptr_align_log2; /* 13: this many low bits of a loaded node or root
			     pointer are tags, to be cleared; 0 to 12.  */
  uint16_t language;	  /* 14: enum sframe_coro_language.  */
  uint32_t max_depth;	  /* 16: advisory bound on nodes; 0: none.  */
  int32_t root_frame_off; /* 20: in a root, the word that holds an address in
			     the native frame it belongs to, such as what
			     __builtin_frame_address (0) gives there.  */
  uint64_t end_value;	  /* 24: see enum sframe_coro_end_kind.  */
  uint32_t heads;	  /* 32: data offset of num_heads heads; 8-aligned.  */
  uint32_t tests;	  /* 36: data offset of num_tests tests; 8-aligned;
			     SFRAME_CORO_NO_DATA if there are none.  */
  uint32_t path[8];	  /* 40: data offsets of the paths; 4-aligned;
			     SFRAME_CORO_NO_DATA: not given.  */
  uint64_t reserved;	  /* 72: zero.  */
} sframe_coro_chain_entry;

/* A path: `value = base; for each off: value = load_word (value + off);
   value += adjust'; a null word that was loaded makes the path null.  Four bytes, then num_offs offsets, then the adjustment
   if the flag says so.  */
typedef struct sframe_coro_path_entry
{
  uint8_t num_offs;  /* 0: 0 to SFRAME_CORO_MAX_PATH_OFFS.  */
  uint8_t flags;     /* 1: SFRAME_CORO_PATH_F_*.  */
  uint16_t reserved; /* 2: zero.  */
  /* int32_t off[num_offs];  */
  /* int32_t adjust;  */
} sframe_coro_path_entry;

#define SFRAME_CORO_PATH_F_ADJUST 0x1 /* An adjustment follows.  */

/* Where a list starts.  The head's path begins at the base that the kind
   gives and ends with a root (a first node, where there are no roots).  */
enum sframe_coro_head_kind
{
  SFRAME_CORO_HEAD_TLS_STUB = 1,    /* value: PC-relative address of a TLS
				       access sequence nobody executes.  Base:
				       the variable, in the thread.  */
  SFRAME_CORO_HEAD_TLS_OFFSET = 2,  /* value: >= 0, offset into the TLS block
				       of this module; < 0, offset from the
				       thread pointer.  Base: ditto.  */
  SFRAME_CORO_HEAD_TP_SLOT = 3,	    /* value: PC-relative address of a word
				       that holds an offset from the thread
				       pointer.  Base: ditto.  */
  SFRAME_CORO_HEAD_GLOBAL = 4,	    /* value: PC-relative address.  Base:
				       that address.  */
  SFRAME_CORO_HEAD_PTHREAD_KEY = 5, /* value: PC-relative address of a 32-bit
				       pthread_key_t; invalid: its value while
				       not created.  Base: the thread's value
				       of that key.  */
  SFRAME_CORO_HEAD_FRAME = 6	    /* value: 0.  Base: the slot or register
				       that the site's rows give.  */
};

#define SFRAME_CORO_HEAD_F_INVALID 0x1 /* `invalid' is meant.  */

typedef struct sframe_coro_head_entry
{
  uint8_t kind;	     /*  0: enum sframe_coro_head_kind.  */
  uint8_t flags;     /*  1: SFRAME_CORO_HEAD_F_*.  */
  uint16_t reserved; /*  2: zero.  */
  uint32_t path;     /*  4: data offset of a path, or SFRAME_CORO_NO_DATA:
			the base is the root.  */
  uint64_t value;    /*  8: by kind; signed where PC-relative.  */
  uint64_t invalid;  /* 16: see SFRAME_CORO_HEAD_PTHREAD_KEY.  */
} sframe_coro_head_entry;

/* A test on a node: the masked field at `off' compared with `value', or with
   the masked field at `value' (then a signed offset).  */
enum sframe_coro_test_kind
{
  SFRAME_CORO_TEST_VALUE = 1,
  SFRAME_CORO_TEST_EQUAL = 2
};

/* What happens when a test holds; any of these.  */
#define SFRAME_CORO_ACT_HIDE 0x1     /* The node is not shown.  */
#define SFRAME_CORO_ACT_BOUNDARY 0x2 /* It is the last of its activation.  */
#define SFRAME_CORO_ACT_STOP 0x4     /* The list ends before this node.  */

typedef struct sframe_coro_test_entry
{
  uint8_t kind;	    /*  0: enum sframe_coro_test_kind.  */
  uint8_t width;    /*  1: bytes of a field: 1, 2, 4 or 8.  */
  uint8_t actions;  /*  2: SFRAME_CORO_ACT_*; at least one.  */
  uint8_t reserved; /*  3: zero.  */
  int32_t off;	    /*  4: offset of the field from the node.  */
  uint64_t mask;    /*  8: applied to every field read.  */
  uint64_t value;   /* 16: the value, or the second offset.  */
} sframe_coro_test_entry;

enum sframe_coro_func_kind
{
  SFRAME_CORO_FUNC_SITE = 1, /* Where a list is spliced in.  */
  SFRAME_CORO_FUNC_BODY = 2  /* A coroutine's resume function.  */
};

/* A function entry.  SITE: a native frame matches if its return address is in
   (start, start + size]; if size is 0, if it is start.  BODY: the code is
   [start, start + size).  */
typedef struct sframe_coro_func_entry
{
  int64_t start;     /*  0: PC-relative.  */
  int64_t chain;     /*  8: PC-relative address of the chain entry.  */
  uint32_t size;     /* 16: bytes of code.  */
  uint32_t data;     /* 20: data offset of rows (4-aligned) or of a body
			(4-aligned); SFRAME_CORO_NO_DATA: none.  */
  uint16_t num;	     /* 24: number of rows, or of suspend points.  */
  uint8_t kind;	     /* 26: enum sframe_coro_func_kind.  */
  uint8_t flags;     /* 27: zero.  */
  uint32_t reserved; /* 28: zero.  */
} sframe_coro_func_entry;

/* Where a FRAME head is, from this PC on.  */
#define SFRAME_CORO_BASE_CFA 0x8000 /* Else a DWARF register number.  */
#define SFRAME_CORO_ROW_IN_REGISTER 0x1 /* The head is register + off; else
					   it is the word there.  */

typedef struct sframe_coro_row_entry
{
  uint32_t pc_off; /* 0: bytes from the start of the function.  */
  uint16_t base;   /* 4: SFRAME_CORO_BASE_CFA, or a register number.  */
  uint16_t flags;  /* 6: SFRAME_CORO_ROW_IN_REGISTER or 0.  */
  int32_t off;	   /* 8 */
} sframe_coro_row_entry;

/* What is special about nodes whose resume function is this body; suspend
   points follow.  */
typedef struct sframe_coro_body_entry
{
  uint32_t next;      /*  0: data offset of a path, or SFRAME_CORO_NO_DATA:
			 as in the chain.  */
  uint32_t ip;	      /*  4: ditto.  */
  int32_t index_off;  /*  8: offset of the suspend index from the node.  */
  uint8_t index_size; /* 12: its width in bytes: 1, 2, 4, 8; 0: no index.  */
  uint8_t flags;      /* 13: zero.  */
  uint16_t reserved;  /* 14: zero.  */
} sframe_coro_body_entry;

typedef struct sframe_coro_point_entry
{
  uint32_t index;  /* 0: value of the suspend index.  */
  uint32_t pc_off; /* 4: bytes from the start of the function.  */
} sframe_coro_point_entry;

SFRAME_CORO_STATIC_ASSERT (sizeof (sframe_coro_header) == 32, "header");
SFRAME_CORO_STATIC_ASSERT (sizeof (sframe_coro_chain_entry) == 80, "chain");
SFRAME_CORO_STATIC_ASSERT (sizeof (sframe_coro_path_entry) == 4, "path");
SFRAME_CORO_STATIC_ASSERT (sizeof (sframe_coro_head_entry) == 24, "head");
SFRAME_CORO_STATIC_ASSERT (sizeof (sframe_coro_test_entry) == 24, "test");
SFRAME_CORO_STATIC_ASSERT (sizeof (sframe_coro_func_entry) == 32, "func");
SFRAME_CORO_STATIC_ASSERT (sizeof (sframe_coro_row_entry) == 12, "row");
SFRAME_CORO_STATIC_ASSERT (sizeof (sframe_coro_body_entry) == 16, "body");
SFRAME_CORO_STATIC_ASSERT (sizeof (sframe_coro_point_entry) == 8, "point");

#ifdef __cplusplus
}
#endif

#endif /* SFRAME_CORO_H */
