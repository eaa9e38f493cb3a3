#source: main.s
#show: code

Disassembly of section .text.sframe_coro:

0000000000000000 <.text.sframe_coro>:
   0:	48 8d 05 00 00 00 00 	lea    0x0(%rip),%rax        # 7 <.text.sframe_coro+0x7>
			3: R_X86_64_GOTPC32_TLSDESC	leaf-0x4
   7:	ff 10                	call   *(%rax)
			7: R_X86_64_TLSDESC_CALL	leaf
