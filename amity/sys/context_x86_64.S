// Context switch for the System V x86-64 ABI. See context.hpp.
//
// A saved context, from its stack pointer upwards:
//   +0  mxcsr (4 bytes), x87 control word (2), padding
//   +8  r15  +16 r14  +24 r13  +32 r12  +40 rbx  +48 rbp  +56 return address
// The control words are reloaded only if they differ: the load costs more than the comparison.

        .text

        .macro save_context
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movl    (%rsp), %eax
        movzwl  4(%rsp), %ecx
        movq    %rsp, (%rdi)
        .endm

        .macro restore_context
        movq    %rsi, %rsp
        cmpl    (%rsp), %eax
        jne     8f
        cmpw    4(%rsp), %cx
        jne     8f
9:      addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_adjust_cfa_offset 56
8:      ldmxcsr (%rsp)
        fldcw   4(%rsp)
        jmp     9b
        .endm

        .globl  amity_switch
        .hidden amity_switch
        .type   amity_switch, @function
        .p2align 5
amity_switch:
        .cfi_startproc
        save_context
        restore_context
        .cfi_endproc
        .size   amity_switch, .-amity_switch

        .globl  amity_switch_tp
        .hidden amity_switch_tp
        .type   amity_switch_tp, @function
        .p2align 5
amity_switch_tp:
        .cfi_startproc
        save_context
        wrfsbase %rdx
        restore_context
        .cfi_endproc
        .size   amity_switch_tp, .-amity_switch_tp

// arch_prctl(ARCH_SET_FS = 0x1002, thread pointer); the system call clobbers rcx and r11.
        .globl  amity_switch_tp_syscall
        .hidden amity_switch_tp_syscall
        .type   amity_switch_tp_syscall, @function
        .p2align 5
amity_switch_tp_syscall:
        .cfi_startproc
        save_context
        movl    %eax, %r8d
        movl    %ecx, %r9d
        movq    %rsi, %r10
        movl    $158, %eax
        movl    $0x1002, %edi
        movq    %rdx, %rsi
        syscall
        movq    %r10, %rsi
        movl    %r8d, %eax
        movl    %r9d, %ecx
        restore_context
        .cfi_endproc
        .size   amity_switch_tp_syscall, .-amity_switch_tp_syscall

// First frame of a fresh context: r12 = entry, r13 = argument. Unwinders stop here.
        .globl  amity_context_start
        .hidden amity_context_start
        .type   amity_context_start, @function
        .p2align 5
amity_context_start:
        .cfi_startproc
        .cfi_undefined %rip
        xorl    %ebp, %ebp
        movq    %r13, %rdi
        callq   *%r12
        ud2
        .cfi_endproc
        .size   amity_context_start, .-amity_context_start

        .section .note.GNU-stack, "", @progbits
