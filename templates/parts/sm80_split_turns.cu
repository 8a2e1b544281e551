// Columns of the two halves of N, of which a tile has split_columns each by turns, are finished in
// D's order, as if they came one by one: of so many MMAs side by side, half are of the first half
// of N, the others of the second. A lane has neighbouring columns of D there, one a turn.
constexpr int turns = split_columns / 4;

// Where turn j's column of D is made: its gate's, from the lane's first.
__device__ constexpr int split_column(int j) {
  return j / turns * 2 * split_columns + j % turns * 2;
}

// The MMA that has the gate.
__device__ constexpr int first_of_turn(int j) { return j / turns * turns + j % (turns / 2); }

