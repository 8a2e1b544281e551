//@ include shared_u8
//@ include shared_u16
//@ include shared_f32
//@ include shared_s32
