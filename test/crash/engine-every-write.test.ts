/** The owner dies at its k-th write, for every k, before the write is durable or just after. */
import { describe } from 'node:test';
import { CRASH_SCENARIOS } from './crash-scenarios.ts';
import { testEveryWrite } from './every-write.ts';

describe('an owner that dies at any write', () => {
  for (const story of CRASH_SCENARIOS) testEveryWrite(story);
});
