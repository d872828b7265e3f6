// See program_call.hpp. The offsets are those of kernel_call: the number, then six arguments. Nothing is pushed, so a
// handler may have it go on behind the call from anywhere.

        .text
        .globl  amity_program_call
        .hidden amity_program_call
        .type   amity_program_call, %function
        .p2align 4
amity_program_call:
        .cfi_startproc
        ldr     w9, [x1]
        cmp     w9, w2
        b.ne    1f
        mov     x9, x0
        ldr     x8, [x9]
        ldp     x0, x1, [x9, #8]
        ldp     x2, x3, [x9, #24]
        ldp     x4, x5, [x9, #40]
        svc     #0
        .globl  amity_program_call_made
        .hidden amity_program_call_made
amity_program_call_made:
        ret
1:      mov     x0, #-4                 // -EINTR
        ret
        .globl  amity_program_call_end
        .hidden amity_program_call_end
amity_program_call_end:
        .cfi_endproc
        .size   amity_program_call, .-amity_program_call

        .section .note.GNU-stack, "", %progbits
