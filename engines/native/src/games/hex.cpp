#include "squarefield/experts/connection.hpp"
#include "squarefield/rulesets.hpp"

namespace squarefield {

Entry hex_entry() { return entry_of<Hex>(); }

}  // namespace squarefield
