/* Describe the awaiting coroutines of a C++20 runtime in .sframe_coro.
   Copyright (C) 2026 The libsframe-coro authors.
   SPDX-License-Identifier: MIT

   For authors of coroutine runtimes.  Three lines make the coroutines that
   await each other visible to debuggers and profilers of another process:

     SFRAME_CORO_TLS_HEAD (acme_leaf);

     #define ACME_CHAIN                                                   \
       SFRAME_CORO_CHAIN (acme_chain, "acme.task",                        \
                          SFRAME_CORO_TLS (acme_leaf), running,           \
                          acme::promise_base, continuation)

     handle.resume ();
     SFRAME_CORO_SITE (ACME_CHAIN);

   The first declares the variable in which the runtime keeps the innermost
   coroutine of a thread; the second says where each coroutine keeps the one
   that awaits it; the third marks where on the native stack the list of
   awaiting coroutines belongs.  None of this runs: no instruction, no
   initialiser and no dynamic relocation comes from it.  Sites may be in
   templates and inline functions, and all of it in headers that many
   translation units and shared libraries include.

   What the runtime has to do
   --------------------------
   A reader stops the thread anywhere, or is a signal handler or the kernel
   interrupting it, so the list must be right at every instruction:

   - The head and the continuations hold *frame addresses*, that is, what
     `coroutine_handle::address ()' gives, as a `void *' or as a coroutine
     handle; null ends the list, and so does `std::noop_coroutine ()'.
   - A coroutine has its continuation before the head points to it.
   - The head moves off a coroutine before its frame is destroyed.
   - A resume inside a running coroutine saves the head, and restores it after
     the site.

   Compilers keep such orders only when told to: put
   `std::atomic_signal_fence (std::memory_order_seq_cst)', which is no
   instruction, before and after each store to the head.

   All promise types of a chain must have the continuation at one offset from
   the frame; usually it is in a base class of theirs.  An alignment of more
   than 16 moves a promise, and so does a base class in front of the one with
   the continuation; SFRAME_CORO_CHECK finds out at compile time.  Promises
   that differ need a chain, and thus a head, of their own.

   Two forms
   ---------
   If SFRAME_CORO_USE_DIRECTIVES is 1, this header writes the directives
   `.sframe_coro_chain' and so on, for assemblers that have them; tell the
   compiler where such an assembler is (-B, for clang -fno-integrated-as too),
   also when linking with -flto.  If it is 0 or not defined, the header writes
   plain data for any assembler.  The records have the same contents.

   SFRAME_CORO_SUPPORTED is 1 where anything is described: for x86-64 ELF with
   64-bit pointers.  On other targets, and if NO_SFRAME_CORO is defined, it is
   0, and SFRAME_CORO_SITE and SFRAME_CORO_CHECK are nothing.

   C programs may include this file for everything but SFRAME_CORO_CHAIN,
   SFRAME_CORO_CHECK and the macros that declare variables.  */

#ifndef SFRAME_CORO_HPP
#define SFRAME_CORO_HPP

#if defined __x86_64__ && defined __LP64__ && defined __ELF__                 \
  && defined __GNUC__ && !defined NO_SFRAME_CORO
#define SFRAME_CORO_SUPPORTED 1
#else
#define SFRAME_CORO_SUPPORTED 0
#endif

#ifndef SFRAME_CORO_USE_DIRECTIVES
#define SFRAME_CORO_USE_DIRECTIVES 0
#endif

/* Where a list begins.  VAR is the name of a variable *as the assembler knows
   it*: declare it with one of the macros below, or give it a label, and keep
   compilers from optimising it away, which see no use in the assembler:
   `[[gnu::used]] thread_local void *leaf asm ("acme_leaf")'.  It holds the
   first coroutine of the list.  If it is a larger object, say how many bytes
   into it the pointer is:
   SFRAME_CORO_TLS (acme_thread, offsetof (acme_thread, leaf)).

   SFRAME_CORO_TLS (VAR [, OFFSET])
     A thread_local variable; the right choice almost always.  It may be in
     another shared library than the site.  Reading it is cheap, but writing
     is on the path of each await: make it `constinit', and use the local-exec
     or initial-exec TLS model where the library is never dlopen'ed.

   SFRAME_CORO_TLS_OFFSET (VAR [, OFFSET])
     The same without the small piece of never-executed code that the former
     needs; only where VAR is *defined* in the executable or shared library
     that has the site, which linkers do not check.  The directive does: it
     takes only a variable that is defined in the same translation unit.

   SFRAME_CORO_TP_SLOT (VAR [, OFFSET])
     VAR is an ordinary variable of type `std::ptrdiff_t' with hidden
     visibility, into which the runtime writes, before its first resume, how
     far from the thread pointer (__builtin_thread_pointer ()) the pointer to
     the first coroutine is in every thread; OFFSET is added to that.

   SFRAME_CORO_GLOBAL (VAR [, OFFSET])
     An ordinary variable with hidden visibility, of a program that resumes
     coroutines on one thread only.  */
#define SFRAME_CORO_TLS(VAR, ...)                                             \
  (tls, VAR, SFRAME_CORO_OPTION_ (__VA_ARGS__))
#define SFRAME_CORO_TLS_OFFSET(VAR, ...)                                      \
  (tls_offset, VAR, SFRAME_CORO_OPTION_ (__VA_ARGS__))
#define SFRAME_CORO_TP_SLOT(VAR, ...)                                         \
  (tp_slot, VAR, SFRAME_CORO_OPTION_ (__VA_ARGS__))
#define SFRAME_CORO_GLOBAL(VAR, ...)                                          \
  (global, VAR, SFRAME_CORO_OPTION_ (__VA_ARGS__))

/* A chain: what the lists of one runtime look like.  It is a macro argument
   and no declaration; give it a name with #define, and use that name for all
   sites.

   SYMBOL   the assembler symbol of the description: unique in the program,
	    used for nothing else.
   TEXT     a string literal, how tools call the chain; letters, digits and
	    any of "._:+-".
   HEAD     where a list begins, see above.
   STATE    `running' if the first coroutine of the list is the one that is
	    executing; `awaiting' if already the first one waits.
   PROMISE  the promise type, or a base class that all promise types have.
   MEMBER   the member of PROMISE that holds the continuation.  */
#define SFRAME_CORO_CHAIN(SYMBOL, TEXT, HEAD, STATE, PROMISE, MEMBER)         \
  (SYMBOL, TEXT, SFRAME_CORO_FIELDS_ HEAD, STATE,                             \
   SFRAME_CORO_NEXT_OF_ (PROMISE, MEMBER), MEMBER)

/* The same for nodes that are no promises but begin like a coroutine frame,
   with a pointer to a resume function and one to a destroy function, and have
   a pointer to the next node NEXT bytes from their start.  */
#define SFRAME_CORO_CHAIN_OF_NODES(SYMBOL, TEXT, HEAD, STATE, NEXT)           \
  (SYMBOL, TEXT, SFRAME_CORO_FIELDS_ HEAD, STATE, NEXT, )

/* Mark the call that has just returned as a place from which the coroutines
   of CHAIN are resumed.  This must be the statement directly behind the one
   that calls `resume ()', and that statement must do nothing after the call
   (destroy no temporary, use no result):

     handle.resume ();
     SFRAME_CORO_SITE (ACME_CHAIN);

   Where something is destroyed if the call throws, gcc -O1 (no other level) may
   lay out loops with a jump between call and site, and the site is not found
   then; a function that is not inlined and has nothing to destroy avoids it.
   `sframe-coro check PROGRAM' tells of sites that no call returns to.

   There may be any number of sites.  A site also keeps its call from becoming
   a jump, in which case there would be no frame to find.  */
#define SFRAME_CORO_SITE(CHAIN) SFRAME_CORO_APPLY_ (SFRAME_CORO_SITE_, CHAIN)

/* Declare that coroutines with promise type PROMISE are linked by CHAIN; an
   error if they cannot be.  Write it where PROMISE is complete: in a member
   function, for instance `get_return_object'.  */
#define SFRAME_CORO_CHECK(CHAIN, ...)                                         \
  SFRAME_CORO_APPLY_ (SFRAME_CORO_CHECK_, CHAIN, __VA_ARGS__)

/* Variables for the four kinds of heads, for namespace scope in a header.  NAME
   is the name in C++ and in the assembler, hence unique in the program even
   if it is in a namespace.  The first two are `thread_local void *', shared by
   all modules of a process unless visibility options say otherwise; the others
   are one in each module.  */
#define SFRAME_CORO_TLS_HEAD(NAME)                                            \
  [[gnu::used]] inline constinit thread_local void *NAME asm (#NAME) = nullptr
#define SFRAME_CORO_TLS_OFFSET_HEAD(NAME)                                     \
  [[gnu::used, gnu::visibility ("hidden")]]                                   \
  inline constinit thread_local void *NAME asm (#NAME) = nullptr
#define SFRAME_CORO_TP_SLOT_HEAD(NAME)                                        \
  [[gnu::used, gnu::visibility ("hidden")]]                                   \
  inline constinit __PTRDIFF_TYPE__ NAME asm (#NAME) = 0
#define SFRAME_CORO_GLOBAL_HEAD(NAME)                                         \
  [[gnu::used, gnu::visibility ("hidden")]]                                   \
  inline constinit void *NAME asm (#NAME) = nullptr

/* From here on: how it is done.  Nothing below is for direct use.  */

#define SFRAME_CORO_OPTION_(...) (0 __VA_OPT__ (+) __VA_ARGS__)
#define SFRAME_CORO_NAME_(NAME) SFRAME_CORO_NAME_1_ (NAME)
#define SFRAME_CORO_NAME_1_(NAME) #NAME

/* MACRO with the fields of CHAIN, then the rest, as arguments.  */
#define SFRAME_CORO_APPLY_(MACRO, CHAIN, ...)                                 \
  SFRAME_CORO_APPLY_1_ (MACRO,                                                \
			SFRAME_CORO_FIELDS_ CHAIN __VA_OPT__ (,) __VA_ARGS__)
#define SFRAME_CORO_APPLY_1_(MACRO, ...) MACRO (__VA_ARGS__)
#define SFRAME_CORO_FIELDS_(...) __VA_ARGS__

#ifdef __cplusplus

namespace sframe_coro
{
/* Both compilers put the promise behind the two function pointers of a frame,
   whatever the coroutine; __builtin_coro_promise says the same, but is no
   constant expression.  */
template <class Promise>
inline constexpr unsigned long promise_offset
  = alignof (Promise) > 16 ? alignof (Promise) : 16;

/* From frame to frame, over a member of type MEMBER at OFFSET in the
   promise.  */
template <class Promise, class Member, unsigned long Offset> struct next
{
  static_assert (sizeof (Member) == sizeof (void *)
		   && alignof (Member) == alignof (void *),
		 "the continuation is a pointer or a coroutine handle");
  static constexpr long offset = promise_offset<Promise> + Offset;
  static_assert (offset <= 0x7fffffff, "the promise is too large");
};

/* A constant that is one without optimisation, and in templates.  */
template <long Value> struct constant
{
  static constexpr long value = Value;
};

/* Whether TEXT can be in a string of the assembler and in an asm statement.  */
constexpr bool
valid_text (const char *text)
{
  if (*text == 0)
    return false;
  for (; *text != 0; text++)
    {
      const char *c = "._:+-0123456789abcdefghijklmnopqrstuvwxyz"
		      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
      while (*c != 0 && *c != *text)
	c++;
      if (*c == 0)
	return false;
    }
  return true;
}
} /* namespace sframe_coro */

/* Promises have base classes, for which `offsetof' is conditionally
   supported; both compilers do, but warn.  */
#define SFRAME_CORO_QUIET_                                                    \
  _Pragma ("GCC diagnostic push")                                             \
  _Pragma ("GCC diagnostic ignored \"-Winvalid-offsetof\"")
#define SFRAME_CORO_LOUD_ _Pragma ("GCC diagnostic pop")

#define SFRAME_CORO_NEXT_OF_(PROMISE, MEMBER)                                 \
  (::sframe_coro::next<PROMISE, decltype (PROMISE::MEMBER),                   \
		       __builtin_offsetof (PROMISE, MEMBER)>::offset)
#define SFRAME_CORO_CONSTANT_(VALUE) ::sframe_coro::constant<(VALUE)>::value
#define SFRAME_CORO_VALID_(TEXT) ::sframe_coro::valid_text (TEXT)
#define SFRAME_CORO_ASSERT_ static_assert

#else /* C */

#define SFRAME_CORO_QUIET_
#define SFRAME_CORO_LOUD_
#define SFRAME_CORO_CONSTANT_(VALUE) (VALUE)
#define SFRAME_CORO_VALID_(TEXT) 1
#define SFRAME_CORO_ASSERT_ _Static_assert

#endif

#if SFRAME_CORO_SUPPORTED

/* One asm statement, so that nothing can come between the call and the label
   in it; and no block around it, for which compilers may jump when they do not
   optimise.  `inline' because they guess the size of the code from the number
   of lines.  "memory" keeps it behind the call.  The registers that the call
   does not preserve hold nothing yet, so to name them costs nothing; otherwise
   a compiler may reload one between the call and the label.  */
#ifdef __SSE__
#define SFRAME_CORO_SSE_                                                      \
  , "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",   \
    "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#else
#define SFRAME_CORO_SSE_
#endif
#ifdef __AVX512F__
#define SFRAME_CORO_AVX512_                                                   \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",   \
    "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31",   \
    "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define SFRAME_CORO_AVX512_
#endif
#define SFRAME_CORO_CLOBBERS_                                                 \
  "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",       \
    "r11" SFRAME_CORO_SSE_ SFRAME_CORO_AVX512_

/* A call that may throw ends a basic block where something has to be destroyed
   or may be caught, so that the site begins the next block.  To there, clang
   moves computations whose results are used only behind the call, and so in
   front of the site.  A jump that is never taken, and has no instruction, ends
   that block behind the site: such computations are then moved to the block
   after it.  Without optimisation nothing is moved, but clang has a jump of
   two bytes to the site, which a site of three bytes allows for; no other call
   can end there.  */
#if defined __clang__ && defined __OPTIMIZE__
#define SFRAME_CORO_END_BLOCK_                                                \
  {                                                                           \
    __label__ sframe_coro_never_;                                             \
    __asm__ goto ("" : : : : sframe_coro_never_);                             \
    if (0)                                                                    \
      {                                                                       \
      sframe_coro_never_:                                                     \
	__builtin_unreachable ();                                             \
      }                                                                       \
  }
#else
#define SFRAME_CORO_END_BLOCK_
#endif
#if defined __clang__ && !defined __OPTIMIZE__
#define SFRAME_CORO_SITE_SIZE_ "3"
#else
#define SFRAME_CORO_SITE_SIZE_ "0"
#endif

#define SFRAME_CORO_SITE_(SYMBOL, TEXT, KIND, VAR, OFFSET, STATE, NEXT, ...)  \
  SFRAME_CORO_QUIET_                                                          \
  __asm__ __volatile__ __inline__ (                                           \
    SFRAME_CORO_ASM_ (SFRAME_CORO_NAME_ (SYMBOL), TEXT, KIND,                 \
		      SFRAME_CORO_NAME_ (VAR), STATE)                         \
    : : [kind] "i" (SFRAME_CORO_KIND_##KIND##_),                              \
	[flags] "i" (SFRAME_CORO_STATE_##STATE##_),                           \
	[head] "i" (SFRAME_CORO_CONSTANT_ (OFFSET)),                          \
	[next] "i" (SFRAME_CORO_CONSTANT_ (NEXT))                             \
    : SFRAME_CORO_CLOBBERS_);                                                 \
  SFRAME_CORO_END_BLOCK_                                                      \
  SFRAME_CORO_LOUD_                                                           \
  SFRAME_CORO_ASSERT_ (SFRAME_CORO_VALID_ (TEXT), "name of a chain")

#define SFRAME_CORO_CHECK_(SYMBOL, TEXT, KIND, VAR, OFFSET, STATE, NEXT,      \
			   MEMBER, ...)                                       \
  SFRAME_CORO_QUIET_                                                          \
  static_assert (SFRAME_CORO_NEXT_OF_ (__VA_ARGS__, MEMBER) == NEXT,          \
		 "these coroutines have " #MEMBER " at another place than "   \
		 "chain " #SYMBOL " says");                                   \
  SFRAME_CORO_LOUD_                                                           \
  static_assert (true)

#define SFRAME_CORO_KIND_tls_ 1
#define SFRAME_CORO_KIND_tls_offset_ 2
#define SFRAME_CORO_KIND_tp_slot_ 3
#define SFRAME_CORO_KIND_global_ 4
#define SFRAME_CORO_STATE_running_ 1
#define SFRAME_CORO_STATE_awaiting_ 0

/* The chain is described where its first site is, once in a file, and once
   for each file in a COMDAT group, of which linkers keep one.  */
#define SFRAME_CORO_ASM_(SYMBOL, TEXT, KIND, VAR, STATE)                      \
  "\n\t.ifndef " SYMBOL "\n\t"                                                \
  SFRAME_CORO_CHAIN_ASM_ (SYMBOL, TEXT, KIND, VAR, STATE)                     \
  ".endif\n\t"                                                                \
  SFRAME_CORO_SITE_ASM_ (SYMBOL)

/* The header of a block.  */
#define SFRAME_CORO_HEADER_ASM_(FLAGS, LENGTH, CHAINS, FUNCS, DATA, STRINGS)  \
  ".short 0xdec0\n\t"                                                         \
  ".byte 1, " #FLAGS ", 3, 32, 80, 32\n\t"                                    \
  ".long " LENGTH ", " #CHAINS ", " #FUNCS ", " #DATA ", " STRINGS ", 0\n\t"

#if SFRAME_CORO_USE_DIRECTIVES

#define SFRAME_CORO_STATE_DIRECTIVE_running_                                  \
  ".sframe_coro_flags running_head\n\t"
#define SFRAME_CORO_STATE_DIRECTIVE_awaiting_

#define SFRAME_CORO_CHAIN_ASM_(SYMBOL, TEXT, KIND, VAR, STATE)                \
  ".sframe_coro_chain " SYMBOL ", \"" TEXT "\", comdat\n\t"                   \
  ".sframe_coro_head " #KIND ", " VAR "\n\t"                                  \
  ".sframe_coro_path head, %c[head]\n\t"                                      \
  ".sframe_coro_path next, %c[next]\n\t"                                      \
  ".sframe_coro_path ip, 0\n\t"                                               \
  ".sframe_coro_path ip_alt, 8\n\t"                                           \
  ".sframe_coro_ip entry\n\t"                                                 \
  ".sframe_coro_end null\n\t"                                                 \
  ".sframe_coro_test equal, 0, 8, stop\n\t"                                   \
  SFRAME_CORO_STATE_DIRECTIVE_##STATE##_                                      \
  ".sframe_coro_endchain\n\t"

#else /* ! SFRAME_CORO_USE_DIRECTIVES */

/* The records of sframe-coro.h, byte for byte as the directives above give
   them.  */

/* With -masm=intel, compilers have inline assembly read in that syntax, and
   choose the second of two alternatives in braces.  */
#define SFRAME_CORO_STUB_tls_(SYMBOL, VAR)                                    \
  ".pushsection .text.sframe_coro,\"axG\",@progbits," SYMBOL ",comdat\n"      \
  ".Lsframe_coro_stub_" SYMBOL ":\n\t"                                        \
  "{|.att_syntax prefix\n\t}"                                                 \
  "leaq " VAR "@tlsdesc(%%rip), %%rax\n\t"                                    \
  "call *" VAR "@tlscall(%%rax)\n\t"                                          \
  "{|.intel_syntax noprefix\n\t}"                                             \
  ".popsection\n\t"
#define SFRAME_CORO_STUB_tls_offset_(SYMBOL, VAR)
#define SFRAME_CORO_STUB_tp_slot_(SYMBOL, VAR)
#define SFRAME_CORO_STUB_global_(SYMBOL, VAR)

#define SFRAME_CORO_VALUE_tls_(SYMBOL, VAR) ".Lsframe_coro_stub_" SYMBOL " - ."
#define SFRAME_CORO_VALUE_tls_offset_(SYMBOL, VAR) VAR "@dtpoff"
#define SFRAME_CORO_VALUE_tp_slot_(SYMBOL, VAR) VAR " - ."
#define SFRAME_CORO_VALUE_global_(SYMBOL, VAR) VAR " - ."

#define SFRAME_CORO_CHAIN_ASM_(SYMBOL, TEXT, KIND, VAR, STATE)                \
  SFRAME_CORO_STUB_##KIND##_ (SYMBOL, VAR)                                    \
  ".pushsection .sframe_coro,\"aGR\",@progbits," SYMBOL ",comdat\n\t"         \
  ".balign 8\n"                                                               \
  ".Lsframe_coro_block_" SYMBOL ":\n\t"                                       \
  SFRAME_CORO_HEADER_ASM_ (0, ".Lsframe_coro_end_" SYMBOL                     \
			      " - .Lsframe_coro_block_" SYMBOL,               \
			   1, 0, 80,                                          \
			   ".Lsframe_coro_text_end_" SYMBOL                   \
			   " - .Lsframe_coro_text_" SYMBOL)                   \
  ".weak " SYMBOL "\n\t"                                                      \
  ".hidden " SYMBOL "\n\t"                                                    \
  ".type " SYMBOL ", @object\n\t"                                             \
  ".size " SYMBOL ", 80\n"                                                    \
  SYMBOL ":\n\t"                                                              \
  /* Name, flags; heads, tests, function entry, null; the rest.  */           \
  ".long 0, %c[flags]\n\t"                                                    \
  ".byte 1, 1, 1, 0, 0, 0, 0, 0\n\t"                                          \
  ".long 0, 0, 0, 0\n\t"                                                      \
  /* Heads, tests; paths top, next, ip, ip_alt, aux, and three more.  */      \
  ".long 0, 24\n\t"                                                           \
  ".long -1, 56, 64, 72, -1, -1, -1, -1, 0, 0\n\t"                            \
  /* The head.  */                                                            \
  ".byte %c[kind], 0, 0, 0\n\t"                                               \
  ".long 48\n\t"                                                              \
  ".quad " SFRAME_CORO_VALUE_##KIND##_ (SYMBOL, VAR) "\n\t"                   \
  ".quad 0\n\t"                                                               \
  /* Stop if the 8 bytes at 0 and at 8 are equal: a noop coroutine.  */       \
  ".byte 2, 8, 4, 0\n\t"                                                      \
  ".long 0\n\t"                                                               \
  ".quad -1, 8\n\t"                                                           \
  /* Paths head, next, ip, ip_alt.  */                                        \
  ".long 1, %c[head], 1, %c[next], 1, 0, 1, 8\n"                              \
  ".Lsframe_coro_text_" SYMBOL ":\n\t"                                        \
  ".asciz \"" TEXT "\"\n"                                                     \
  ".Lsframe_coro_text_end_" SYMBOL ":\n\t"                                    \
  ".balign 8\n"                                                               \
  ".Lsframe_coro_end_" SYMBOL ":\n\t"                                         \
  ".popsection\n\t"

#endif /* ! SFRAME_CORO_USE_DIRECTIVES */

/* No directive makes a site that begins in front of it.  */
#if SFRAME_CORO_USE_DIRECTIVES && (!defined __clang__ || defined __OPTIMIZE__)

#define SFRAME_CORO_SITE_ASM_(SYMBOL)                                         \
  ".sframe_coro_startsite " SYMBOL "\n\t"                                     \
  ".sframe_coro_endsite\n"

#else

/* The relocation without bytes ties the record to the code: it is kept as long
   as the code is, and code with other records is other code.  */
#define SFRAME_CORO_SITE_ASM_(SYMBOL)                                         \
  "\n.Lsframe_coro_site_%=:\n\t"                                              \
  ".reloc ., BFD_RELOC_NONE, .Lsframe_coro_record_%=\n\t"                     \
  ".pushsection .sframe_coro,\"a?\",@progbits,unique,%=\n\t"                  \
  ".balign 8\n"                                                               \
  ".Lsframe_coro_record_%=:\n\t"                                              \
  SFRAME_CORO_HEADER_ASM_ (1, "64", 0, 1, 0, "0")                             \
  ".quad .Lsframe_coro_site_%= - " SFRAME_CORO_SITE_SIZE_ " - .\n\t"          \
  ".quad " SYMBOL " - .\n\t"                                                  \
  ".long " SFRAME_CORO_SITE_SIZE_ ", -1\n\t"                                  \
  ".short 0\n\t"                                                              \
  ".byte 1, 0\n\t"                                                            \
  ".long 0\n\t"                                                               \
  ".popsection\n"

#endif

#else /* ! SFRAME_CORO_SUPPORTED */

#define SFRAME_CORO_SITE_(...) SFRAME_CORO_ASSERT_ (1, "")
#define SFRAME_CORO_CHECK_(...) static_assert (true)

#endif

#endif /* SFRAME_CORO_HPP */
