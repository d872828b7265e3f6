// void amity_invoke_microtask(code, global_number, number, count, arguments, exit_frame): see kmp.hpp.
// AAPCS64: the callee gets two pointers, then six arguments in registers and the rest on the stack.
        .text
        .globl  amity_invoke_microtask
        .hidden amity_invoke_microtask
        .type   amity_invoke_microtask, %function
        .p2align 5
amity_invoke_microtask:
        .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov     x29, sp
        .cfi_def_cfa_register x29
        cbnz    x5, 4f                  // exit_frame: for OMPT tools, which know a frame by its frame pointer
0:      mov     x9, x0                  // code
        mov     x0, x1
        mov     x1, x2
        mov     x10, x3                 // count
        mov     x11, x4                 // arguments
        cmp     x10, #6
        b.le    2f
        sub     x12, x10, #5            // count - 6, rounded up to a pair
        and     x12, x12, #-2
        sub     sp, sp, x12, lsl #3
        mov     x12, #6
1:      ldr     x13, [x11, x12, lsl #3]
        sub     x14, x12, #6
        str     x13, [sp, x14, lsl #3]
        add     x12, x12, #1
        cmp     x12, x10
        b.lt    1b
2:      cbz     x10, 3f
        ldr     x2, [x11]
        cmp     x10, #1
        b.le    3f
        ldr     x3, [x11, #8]
        cmp     x10, #2
        b.le    3f
        ldr     x4, [x11, #16]
        cmp     x10, #3
        b.le    3f
        ldr     x5, [x11, #24]
        cmp     x10, #4
        b.le    3f
        ldr     x6, [x11, #32]
        cmp     x10, #5
        b.le    3f
        ldr     x7, [x11, #40]
3:      blr     x9
        mov     sp, x29
        ldp     x29, x30, [sp], #16
        .cfi_remember_state
        .cfi_def_cfa sp, 0
        ret
        .cfi_restore_state
4:      str     x29, [x5]
        b       0b
        .cfi_endproc
        .size   amity_invoke_microtask, .-amity_invoke_microtask
        .section .note.GNU-stack, "", %progbits
