// The extension squarefield._native. engines/native/__init__.py is its Python side.
#include "bindings.hpp"
#include "squarefield/rulesets.hpp"

namespace nb = nanobind;

NB_MODULE(_native, module) {
    module.attr("__version__") = SQUAREFIELD_VERSION;
    nb::dict rules;
    for (const squarefield::Entry& entry : squarefield::entries()) rules[entry.slug.c_str()] = entry.version;
    module.attr("RULES") = rules;
    squarefield::bind_position(module);
    squarefield::bind_search(module);
    squarefield::bind_tree(module);
    squarefield::bind_batch(module);
}
