/* Every call of the emulated driver, as emu_cuNAME.
 *
 * In libgemmgen they are private: a table of pointers to them is a gg_driver. In libgemmgen-emu,
 * where GG_EMU_EXPORT is defined, the same functions carry the symbols that libcuda exports. */
#ifndef GG_EMU_DRIVER_API_H
#define GG_EMU_DRIVER_API_H

#include "base/api.h"
#include "driver.h"

#ifdef GG_EMU_EXPORT
#define EMU_CALL(symbol) __asm__(symbol) GG_API
#else
#define EMU_CALL(symbol)
#endif

#define GG_DRIVER(name, symbol, arguments) CUresult emu_##name arguments EMU_CALL(symbol);
#include "driver.def"
#include "emu/driver/api.def"
#undef GG_DRIVER

/* Fills the table; library is left alone. */
void emu_driver_fill(gg_driver *out);

#endif
