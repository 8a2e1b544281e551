      wgmma_wait<0>();  // the accumulators are ready behind it
      settle(tCrC);
      if (${k_tiles} > 0) release(empty_barriers, read.before());
