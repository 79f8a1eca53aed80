// Math.random from a seed, in the main thread and in workers. Required by NODE_OPTIONS; docs/design/determinism.md.
'use strict';
try {
  const seed = 0;
  const thread = require('worker_threads').threadId;
  const worker = Number(process.env.NODE_UNIQUE_ID) || 0;
  // 0 would mean a seed of V8's own.
  const mixed = (seed + Math.imul(thread, 0x9e3779b1) + Math.imul(worker, 0x85ebca6b)) & 0x7fffffff;
  require('v8').setFlagsFromString(`--random-seed=${mixed || 1}`);
  // The seed is read with the first number, and the flag belongs to all threads.
  Math.random();
  delete require.cache[__filename];
} catch {
  // A program must not fail because its numbers are not pinned.
}
