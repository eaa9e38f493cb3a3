#source: heads.s
#show: code

Disassembly of section .text.sframe_coro:

0000000000000000 <.text.sframe_coro>:
   0:	48 8d 05 00 00 00 00 	lea    0x0(%rip),%rax        # 7 <.text.sframe_coro+0x7>
			3: R_X86_64_GOTPC32_TLSDESC	var-0x4
   7:	ff 10                	call   *(%rax)
			7: R_X86_64_TLSDESC_CALL	var
   9:	48 8d 05 00 00 00 00 	lea    0x0(%rip),%rax        # 10 <.text.sframe_coro+0x10>
			c: R_X86_64_GOTPC32_TLSDESC	elsewhere-0x4
  10:	ff 10                	call   *(%rax)
			10: R_X86_64_TLSDESC_CALL	elsewhere
  12:	48 8d 05 00 00 00 00 	lea    0x0(%rip),%rax        # 19 <.text.sframe_coro+0x19>
			15: R_X86_64_GOTPC32_TLSDESC	elsewhere-0x4
  19:	ff 10                	call   *(%rax)
			19: R_X86_64_TLSDESC_CALL	elsewhere
