// The parts of the extension; each is bound in a file of its own.
#pragma once

#include <nanobind/nanobind.h>

namespace squarefield {

void bind_position(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_tree(nanobind::module_& module);
void bind_batch(nanobind::module_& module);

}  // namespace squarefield
