// The blocks of W of a system that is stored by bodies.
#pragma once
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/body_delassus.h"

namespace saltus {

/// For all pairs of contacts that act on a common body:
///     W_cd = sum over the bodies b of both c and d  H_cb A_b^-1 H_db^T
/// `touch` is work space; allocates nothing if sizes and pattern of the rows have not changed.
void blocks_of_bodies(const BodyRows& H, BlockMatrix& W, std::vector<int>& touch);

}  // namespace saltus
