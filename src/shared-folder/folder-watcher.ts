/**
 * Watches the reports of agents elsewhere in a shared folder, and writes messages to them. Every report is data of unknown
 * origin: one that can't be used is named once, and the others still count.
 */
import { loadOrganization } from '../config/load-organization.ts';
import { ReportFolder } from '../host/files/report-folder.ts';
import type { SteeringFiles } from '../host/files/steering-box.ts';
import { SteeringBox } from '../host/files/steering-box.ts';
import { listFolder } from '../host/files/list-folder.ts';
import { readSmallFile, readTextFile } from '../host/files/read-text-file.ts';
import { hashText } from '../base/hash-text.ts';
import { Refusal } from '../base/errors.ts';
import type { PinnedOrganization } from '../protocol/contracts/organization-contract.ts';
import { SaluteReport } from '../protocol/contracts/salute-contract.ts';
import type { PinnedSteering, SteeringDecision } from '../protocol/contracts/steering-contract.ts';
import type { WatchedMessage } from '../protocol/contracts/watched-message.ts';
import { readWatchedMessage } from '../protocol/contracts/watched-message.ts';
import type { Anomaly } from '../steering/anomaly.ts';
import { assess } from '../steering/salute.ts';
import { steeringMessage } from '../steering/steering-message.ts';
import { join } from 'node:path';
import { assessReport, NEW_ROLE } from './assess-report.ts';
import type { WatchedRole } from './assess-report.ts';

/** What one look at the folder found. */
export type WatchedFact =
  | {
      readonly kind: 'report';
      readonly role: string;
      readonly state: string;
      readonly level: string;
      readonly health: string;
    }
  | {
      readonly kind: 'anomaly';
      readonly role: string;
      readonly detector: string;
      readonly words: string;
      readonly decision: SteeringDecision;
      /** The number of the message. Null: none was written. */
      readonly message: number | null;
    }
  | { readonly kind: 'refused'; readonly file: string; readonly why: string };

const REPORT_BYTES_MAX = 256_000;
const REPORT_NAME = /^([a-z][a-z0-9_-]{0,63})_latest\.json$/;

export class FolderWatcher {
  readonly #folder: string;
  readonly #organization: PinnedOrganization;
  readonly #steering: PinnedSteering;
  readonly #files: SteeringFiles | undefined;
  readonly #reports: ReportFolder;
  readonly #roles = new Map<string, WatchedRole>();
  /** By file: a hash of what was refused, so that each is named once. */
  readonly #refused = new Map<string, string>();

  private constructor(
    folder: string,
    organization: PinnedOrganization,
    steering: PinnedSteering,
    files: SteeringFiles | undefined,
  ) {
    this.#folder = folder;
    this.#organization = organization;
    this.#steering = steering;
    this.#files = files;
    this.#reports = new ReportFolder(folder);
  }

  /** Refuses a folder that has no organization, or a faulty one. */
  static async open(
    folder: string,
    steering: PinnedSteering,
    files?: SteeringFiles,
  ): Promise<FolderWatcher> {
    const organization = await loadOrganization(folder, {
      read: (path, bytesMax) => readTextFile(join(folder, path), bytesMax),
      list: (path) => listFolder(join(folder, path)),
    });
    if (organization === undefined)
      throw new Refusal({
        code: 'usage.invalid',
        message: `${folder} has no organization: there is no active.json.`,
        hint: 'Name a folder with active.json, roles and reports, such as .supervisor/organization. To watch a run, use: supervisor attach',
        details: { folder },
      });
    return new FolderWatcher(folder, organization, steering, files);
  }

  get heartbeatMs(): number {
    return this.#organization.heartbeatSeconds * 1000;
  }

  /** Reads what is new, once. Never rejects because of what an agent wrote. */
  async look(now: number): Promise<readonly WatchedFact[]> {
    const names = await listFolder(join(this.#folder, 'reports'));
    const facts: WatchedFact[] = [];
    for (const name of names) {
      const [, id] = REPORT_NAME.exec(name) ?? [];
      if (id !== undefined) facts.push(...(await this.#lookAt(name, id, now)));
    }
    return facts;
  }

  async #lookAt(name: string, id: string, now: number): Promise<readonly WatchedFact[]> {
    const file = join(this.#folder, 'reports', name);
    const read = await readSmallFile(file, REPORT_BYTES_MAX);
    if (read.kind === 'absent') return [];
    if (read.kind === 'unreadable') return this.#refuse(file, read.code, unreadable(read.code));
    const role = this.#organization.roles.find((one) => one.id === id);
    if (role === undefined) return this.#refuse(file, 'role', 'the organization has no such role');
    const parsed = parseReport(read.text);
    if (typeof parsed === 'string') return this.#refuse(file, read.text, parsed);
    if (parsed.unit.role_id !== id)
      return this.#refuse(
        file,
        read.text,
        `it is a report of ${JSON.stringify(parsed.unit.role_id)}`,
      );
    const before = this.#roles.get(id) ?? NEW_ROLE;
    if (before.report?.time.timestamp === parsed.time.timestamp) return [];
    const { after, check } = assessReport(before, parsed, role, this.#steering);
    const { state, pace_level: level, health } = parsed.status;
    const facts: WatchedFact[] = [{ kind: 'report', role: id, state, level, health }];
    for (const { anomaly, decision } of check.found) {
      const message = decision === 'sent' ? await this.#tell(id, parsed, anomaly, now) : null;
      const { detector, words } = anomaly;
      facts.push({ kind: 'anomaly', role: id, detector, words, decision, message });
    }
    const anomalies = check.found.map(({ anomaly }) => anomaly);
    if (anomalies.length > 0 || before.watch.check.checkedAt > 0)
      await this.#reports.write(id, 'assessment', assess(parsed, anomalies, now), now);
    // Last: if a write fails, the report is looked at again.
    this.#roles.set(id, after);
    this.#refused.delete(file);
    return facts;
  }

  /** A message about a report exists at most once, also if the watcher died after it was written. */
  async #tell(id: string, report: SaluteReport, anomaly: Anomaly, now: number): Promise<number> {
    const box = new SteeringBox(
      this.#folder,
      id,
      ...(this.#files === undefined ? [] : [this.#files]),
    );
    const { timestamp, turns_elapsed: turn } = report.time;
    for (const [seq, text] of await box.texts())
      if (readWatchedMessage(text)?.about.timestamp === timestamp) return seq;
    return box.add((seq) => {
      const message: WatchedMessage = {
        _schema: 'supervisor:steering',
        _version: '1.0',
        ...{ seq, role_id: id, detector: anomaly.detector },
        text: steeringMessage(anomaly, turn),
        written_at: new Date(now).toISOString(),
        about: { timestamp, turn },
      };
      return `${JSON.stringify(message, null, 2)}\n`;
    });
  }

  #refuse(file: string, content: string, why: string): readonly WatchedFact[] {
    const hash = hashText(content);
    if (this.#refused.get(file) === hash) return [];
    this.#refused.set(file, hash);
    return [{ kind: 'refused', file, why }];
  }
}

function unreadable(code: string): string {
  if (code === 'EFBIG') return `it is larger than ${REPORT_BYTES_MAX} bytes`;
  return code === 'EINVAL' ? 'it is not a plain file' : `it can't be read: ${code}`;
}

/** Text: why it is no report. */
function parseReport(text: string): SaluteReport | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const parsed = SaluteReport.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `${issue?.path.join('.') || 'the report'}: ${issue?.message ?? 'not valid'}`;
}
