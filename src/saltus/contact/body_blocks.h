// The blocks of W held by bodies.
#pragma once
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/body_delassus.h"

namespace saltus {

/// W_cd = sum over the bodies b of both c and d  H_cb A_b^-1 H_db^T, for all contacts that share
/// one. `touch` is work space; nothing is taken from the heap for rows of the same size and pattern
/// as before.
void blocks_of_bodies(const BodyRows& H, BlockMatrix& W, std::vector<int>& touch);

}  // namespace saltus
