/** What the hook of a person's session does after a tool call: it reports, and hands over one message. */
import { join } from 'node:path';
import { loadOrganization } from '../config/load-organization.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import { listFolder } from '../host/files/list-folder.ts';
import { readSmallFile, readTextFile } from '../host/files/read-text-file.ts';
import { ReportFolder } from '../host/files/report-folder.ts';
import type { TakenMessage, Taking } from '../host/files/steering-box.ts';
import { SteeringBox } from '../host/files/steering-box.ts';
import type { PinnedOrganization } from '../protocol/contracts/organization-contract.ts';
import { readWatchedMessage } from '../protocol/contracts/watched-message.ts';
import { lastReportOf } from '../steering/salute.ts';
import type { HookCall } from './hook-answer.ts';
import { foldCall, readSession, sessionReport } from './session-report.ts';
import { describeWatchedMessage } from './watched-words.ts';

export type SessionHook = {
  /** The shared folder. */
  readonly folder: string;
  readonly role: string;
  /** Where the session works. */
  readonly cwd: string;
};

const STATE_BYTES_MAX = 2_000_000;

/** `print` gets the text for the model. Without an active organization, nothing else is read or written. */
export async function takeMessage(
  { folder, role, cwd }: SessionHook,
  call: HookCall,
  now: number,
  print: (text: string) => Promise<void>,
): Promise<void> {
  const organization = await loadOrganization(folder, {
    read: (path, bytesMax) => readTextFile(join(folder, path), bytesMax),
    list: (path) => listFolder(join(folder, path)),
  });
  if (organization === undefined || call.isSub) return;
  await report({ folder, role, cwd }, organization, call, now);
  const handOver = async (taken: TakenMessage): Promise<Taking> => {
    const message = taken.kind === 'message' ? readWatchedMessage(taken.text) : undefined;
    if (message === undefined) return 'refused';
    await print(describeWatchedMessage(message, now));
    return 'done';
  };
  await new SteeringBox(folder, role).take(now, handOver);
}

/** Of two hooks at the same time, the later one counts. A report is a summary, so that is enough. */
async function report(
  { folder, role, cwd }: SessionHook,
  organization: PinnedOrganization,
  call: HookCall,
  now: number,
): Promise<void> {
  const file = join(folder, 'reports', `.${role}_session`);
  const read = await readSmallFile(file, STATE_BYTES_MAX);
  const before = readSession(read.kind === 'text' ? read.text : '', call.session, now);
  const state = foldCall(before, call);
  const made = sessionReport(state, organization, { name: role, folder: cwd, now });
  const reports = new ReportFolder(folder);
  if (made !== null) await reports.write(made.unit.role_id, 'latest', made, now);
  else await reports.prepare();
  const last = made === null ? state.last : lastReportOf(made);
  await writeFileAtomic(file, JSON.stringify({ ...state, last }), { durable: false });
}
