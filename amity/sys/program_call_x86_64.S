// See program_call.hpp. The offsets are those of kernel_call: the number, then six arguments. Nothing is pushed, so a
// handler may have it go on behind the call from anywhere.

        .text
        .globl  amity_program_call
        .hidden amity_program_call
        .type   amity_program_call, @function
        .p2align 4
amity_program_call:
        .cfi_startproc
        cmpl    %edx, (%rsi)
        jne     1f
        movq    %rdi, %rcx
        movq    (%rcx), %rax
        movq    8(%rcx), %rdi
        movq    16(%rcx), %rsi
        movq    24(%rcx), %rdx
        movq    32(%rcx), %r10
        movq    40(%rcx), %r8
        movq    48(%rcx), %r9
        syscall
        .globl  amity_program_call_made
        .hidden amity_program_call_made
amity_program_call_made:
        ret
1:      movq    $-4, %rax               // -EINTR
        ret
        .globl  amity_program_call_end
        .hidden amity_program_call_end
amity_program_call_end:
        .cfi_endproc
        .size   amity_program_call, .-amity_program_call

        .section .note.GNU-stack, "", @progbits
