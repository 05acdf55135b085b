#include "squarefield/experts/connection.hpp"
#include "squarefield/rulesets.hpp"

namespace squarefield {

Entry ooscg_w_entry() { return entry_of<OoscgW>(); }

}  // namespace squarefield
