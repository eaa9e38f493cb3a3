#source: sites.s
#show: groups
.sframe_coro AR align 8
.text.sframe_coro AX align 1
.sframe_coro A align 8
.sframe_coro A align 8
.sframe_coro AG align 8
COMDAT group section `.group' [inl] contains 4 sections:
   .text.inl
   .rela.text.inl
   .sframe_coro
   .rela.sframe_coro
