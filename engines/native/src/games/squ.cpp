#include "squarefield/experts/squares.hpp"
#include "squarefield/rulesets.hpp"

namespace squarefield {

Entry squ_entry() { return entry_of<Squ>(); }

}  // namespace squarefield
