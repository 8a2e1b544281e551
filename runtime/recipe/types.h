/* The element types of recipes: reading and writing elements of buffers, on the host.
 * Independent of the emulator's own arithmetic, which they check. */
#ifndef GG_RECIPE_TYPES_H
#define GG_RECIPE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum gg_recipe_type {
#define RECIPE_TYPE(name, ...) GG_RECIPE_##name,
#include "types.def"
#undef RECIPE_TYPE
  GG_RECIPE_TYPE_COUNT
} gg_recipe_type;

typedef struct gg_recipe_type_info {
  const char *name;
  int bits;
  bool is_signed, is_float;
  int tensor_map; /* CUtensorMapDataType; -1: none */
} gg_recipe_type_info;

gg_recipe_type_info gg_recipe_type_of(gg_recipe_type type);

/* Element `index`; 64-bit integers lose what a double cannot hold. */
double gg_recipe_get(gg_recipe_type type, const void *array, int64_t index);

/* Stores the nearest value of the type, ties to even; integers and types without infinities take
 * their largest for what lies beyond. Of unsigned floating-point types the magnitude is taken. */
void gg_recipe_set(gg_recipe_type type, void *array, int64_t index, double value);

/* The most that rounding to the type can move `value`: half the distance between neighbours. */
double gg_recipe_half_ulp(gg_recipe_type type, double value);

#endif
