#source: comdat.s
#show: groups
.sframe_coro AGR align 8
.sframe_coro AGR align 8
.text.sframe_coro AXG align 1
.sframe_coro A align 8
COMDAT group section `.group' [lib.task] contains 4 sections:
   .sframe_coro
   .rela.sframe_coro
   .text.sframe_coro
   .rela.text.sframe_coro
COMDAT group section `.group' [plain] contains 2 sections:
   .sframe_coro
   .rela.sframe_coro
