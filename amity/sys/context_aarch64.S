// Context switch for AAPCS64. See context.hpp.
//
// A saved context, from its stack pointer upwards:
//   +0 x19..x28 (80 bytes)  +80 x29, x30  +96 d8..d15  +160 fpcr, padding        (176 bytes, 16-byte aligned)

        .text

        .macro save_context
        sub     sp, sp, #176
        .cfi_adjust_cfa_offset 176
        stp     x19, x20, [sp, #0]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mrs     x9, fpcr
        str     x9, [sp, #160]
        mov     x10, sp
        str     x10, [x0]
        .endm

        .macro restore_context
        mov     sp, x1
        ldr     x10, [sp, #160]
        cmp     x9, x10
        b.eq    9f
        msr     fpcr, x10
9:      ldp     x19, x20, [sp, #0]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #176
        .cfi_adjust_cfa_offset -176
        ret
        .endm

        .globl  amity_switch
        .hidden amity_switch
        .type   amity_switch, %function
        .p2align 5
amity_switch:
        .cfi_startproc
        save_context
        restore_context
        .cfi_endproc
        .size   amity_switch, .-amity_switch

// TPIDR_EL0 is writable from user space on every kernel, so both forms are the same.
        .globl  amity_switch_tp
        .hidden amity_switch_tp
        .type   amity_switch_tp, %function
        .globl  amity_switch_tp_syscall
        .hidden amity_switch_tp_syscall
        .type   amity_switch_tp_syscall, %function
        .p2align 5
amity_switch_tp:
amity_switch_tp_syscall:
        .cfi_startproc
        save_context
        msr     tpidr_el0, x2
        restore_context
        .cfi_endproc
        .size   amity_switch_tp, .-amity_switch_tp

// First frame of a fresh context: x19 = entry, x20 = argument. Unwinders stop here.
        .globl  amity_context_start
        .hidden amity_context_start
        .type   amity_context_start, %function
        .p2align 5
amity_context_start:
        .cfi_startproc
        .cfi_undefined x30
        mov     x29, #0
        mov     x0, x20
        blr     x19
        brk     #0
        .cfi_endproc
        .size   amity_context_start, .-amity_context_start

        .section .note.GNU-stack, "", %progbits
