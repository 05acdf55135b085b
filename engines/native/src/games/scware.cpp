#include "squarefield/experts/connection.hpp"
#include "squarefield/rulesets.hpp"

namespace squarefield {

Entry scware_entry() { return entry_of<Scware>(); }

}  // namespace squarefield
