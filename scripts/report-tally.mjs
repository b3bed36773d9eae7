/**
 * A node:test reporter for a machine: how many passed and failed, what was skipped and why, how long
 * each file took, and which had to be ended. Of such a file nothing is counted: its own words are incomplete.
 */
import { watchOverdue } from './overdue.mjs';

// oxlint-disable-next-line import/no-default-export -- node:test asks a reporter for one
export default async function* reportTally(events) {
  let counts;
  const ofFiles = [];
  const took = [];
  const skipped = [];
  const overdue = watchOverdue();
  for await (const event of events) {
    overdue.see(event);
    const { type, data } = event;
    if (type === 'test:summary' && data.file === undefined) counts = data.counts;
    if (type === 'test:summary' && data.file !== undefined) {
      ofFiles.push(data.counts);
      took.push({ file: data.file, seconds: data.duration_ms / 1000 });
    }
    if (type === 'test:pass' && data.skip !== undefined && data.details.type !== 'suite') {
      const reason =
        typeof data.skip === 'string' && data.skip !== '' ? data.skip : 'no reason given';
      skipped.push({ file: data.file, name: data.name, reason });
    }
  }
  const ended = overdue.stop();
  if (counts === undefined) return;
  const counted = ended.length === 0 ? [counts] : ofFiles;
  const sum = (count) => counted.reduce((total, one) => total + count(one), 0);
  const passed = sum((one) => one.passed);
  const failed = sum((one) => one.failed + one.cancelled);
  yield JSON.stringify({ passed, failed, skipped, overdue: ended, took });
}
