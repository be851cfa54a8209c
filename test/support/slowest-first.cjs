const { default: Sequencer } = require('@jest/test-sequencer');

/** Folders whose tests wait for processes, crashes and browsers; a fresh checkout knows no times of earlier runs. */
const SLOW = ['/races/', '/processes/', '/upstream/', '/browser/', '/faults/'];

const isSlow = (test) => SLOW.some((folder) => test.path.includes(folder));

/** What takes long begins first, so that no worker is left with a long file at the end. */
module.exports = class extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- jest's own, which returns another array
    const bySize = super.sort(tests);
    return [...bySize.filter(isSlow), ...bySize.filter((test) => !isSlow(test))];
  }
};
