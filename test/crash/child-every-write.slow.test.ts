/** The same deaths while a person acts on a run with children. */
import { describe } from 'node:test';
import { CHILD_SCENARIOS } from './crash-scenarios.ts';
import { testEveryWrite } from './every-write.ts';

describe('an owner that dies at any write of a run with children', () => {
  for (const story of CHILD_SCENARIOS) testEveryWrite(story);
});
