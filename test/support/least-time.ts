/** The least of some times in milliseconds: of what the work takes, without what the machine does meanwhile. */
export function leastTime(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}
