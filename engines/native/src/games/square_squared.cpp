#include "squarefield/experts/edges.hpp"
#include "squarefield/rulesets.hpp"

namespace squarefield {

Entry square_squared_entry() { return entry_of<SquareSquared>(); }

}  // namespace squarefield
