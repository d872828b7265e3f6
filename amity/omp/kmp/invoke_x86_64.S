// void amity_invoke_microtask(code, global_number, number, count, arguments, exit_frame): see kmp.hpp.
// System V: the callee gets two pointers, then four arguments in registers and the rest on the stack.
        .text
        .globl  amity_invoke_microtask
        .hidden amity_invoke_microtask
        .type   amity_invoke_microtask, @function
        .p2align 5
amity_invoke_microtask:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        testq   %r9, %r9                // exit_frame: for OMPT tools, which know a frame by its frame pointer
        jne     4f
0:      movq    %rdi, %rax              // code
        movq    %rsi, %rdi              // its first two arguments
        movq    %rdx, %rsi
        movq    %rcx, %r10              // count
        movq    %r8, %r11               // arguments
        cmpq    $4, %r10
        jle     2f
        // Room for count - 4 words, rounded up to keep the stack 16-byte aligned; then copy, last word first.
        leaq    -3(%r10), %rcx
        andq    $-2, %rcx
        shlq    $3, %rcx
        subq    %rcx, %rsp
        movq    %r10, %rcx
1:      movq    -8(%r11,%rcx,8), %rdx
        movq    %rdx, -40(%rsp,%rcx,8)
        decq    %rcx
        cmpq    $4, %rcx
        jg      1b
2:      testq   %r10, %r10
        jle     3f
        movq    (%r11), %rdx
        cmpq    $1, %r10
        jle     3f
        movq    8(%r11), %rcx
        cmpq    $2, %r10
        jle     3f
        movq    16(%r11), %r8
        cmpq    $3, %r10
        jle     3f
        movq    24(%r11), %r9
3:      movq    %rax, %r10
        xorl    %eax, %eax              // no vector registers carry arguments
        callq   *%r10
        leave
        .cfi_remember_state
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_restore_state
4:      movq    %rbp, (%r9)
        jmp     0b
        .cfi_endproc
        .size   amity_invoke_microtask, .-amity_invoke_microtask
        .section .note.GNU-stack, "", @progbits
