//@ insert banner

//@ insert sizes
//@ insert traced
//@ slot trace

// ---- Layouts: where elements lie, and how the tensor core is told -------------------------------

//@ insert layouts

// ---- Instructions: the tensor core, conversions -------------------------------------------------

//@ insert instructions

//@ slot box_columns
//@ slot boxes_of_mmas

//@ include sm90_instructions
