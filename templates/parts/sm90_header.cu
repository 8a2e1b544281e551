//@ insert banner

//@ insert sizes

// ---- Layouts: where elements lie, and how the tensor core is told -------------------------------

//@ insert layouts

// ---- Instructions: the tensor core, conversions -------------------------------------------------

//@ insert instructions

//@ slot box_columns

//@ include sm90_instructions
