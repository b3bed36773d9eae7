/** One attempt that has ended, with everything that metrics count. Thousands of them are kept, so each is flat. */

export type EndedAttempt = {
  readonly run: string;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly role: string | null;
  readonly cli: string;
  readonly agent: string;
  /** Null: not known. */
  readonly model: string | null;
  /** What its role has to answer; `task` without a role. */
  readonly task: string;
  readonly workflow: string | null;
  readonly step: string | null;
  readonly end: AttemptEnd;
  readonly reason: string | null;
  readonly category: string | null;
  /** What the required gates say about its work. Null: none has judged it. */
  readonly verdict: 'green' | 'red' | null;
  /** It exists because an earlier attempt of its run failed. */
  readonly isRetry: boolean;
  /** Its run began with another agent than its default because of what earlier attempts say. */
  readonly leftDefault: boolean;
  readonly durationMs: number;
  /** The time in which at least one model call was open. Null: no call was seen. */
  readonly modelMs: number | null;
  /** How long the run waited before it for limits, cooldowns and retries. */
  readonly throttledMs: number;
  /** How long it waited for a free place. */
  readonly queuedMs: number;
  readonly tokens: number | null;
  readonly costUsd: number | null;
};

type AttemptEnd = 'completed' | 'failed' | 'stopped' | 'interrupted';

/** Each text once, and the records as cells: a page of 1,000 is a tenth of what the objects would be. */
export type RecordPage = {
  readonly texts: readonly string[];
  readonly rows: readonly (readonly (number | null)[])[];
};

/** Names the form of a page: a change of the cells needs another name. */
export const RECORDS_MAKER = 'attempt-records@2';

export function writeRecords(records: readonly EndedAttempt[]): RecordPage {
  const places = new Map<string, number>();
  const place = (text: string | null): number => {
    if (text === null) return -1;
    const known = places.get(text) ?? places.size;
    places.set(text, known);
    return known;
  };
  const rows = records.map((one) => [
    place(one.run),
    one.endedAt,
    ...[place(one.role), place(one.cli), place(one.agent), place(one.model), place(one.task)],
    ...[place(one.workflow), place(one.step), place(one.end), place(one.reason)],
    ...[place(one.category), place(one.verdict), one.isRetry ? 1 : 0, one.durationMs, one.modelMs],
    ...[one.throttledMs, one.queuedMs, one.tokens, one.costUsd, one.leftDefault ? 1 : 0],
  ]);
  return { texts: [...places.keys()], rows };
}

/** Each object is written out, which is several times as fast as a loop over its names. */
export function readRecords({ texts, rows }: RecordPage): EndedAttempt[] {
  const text = (place: number | null | undefined): string | null => texts[place ?? -1] ?? null;
  return rows.map((row) => ({
    run: text(row[0]) ?? '',
    endedAt: count(row[1]),
    role: text(row[2]),
    cli: text(row[3]) ?? '',
    agent: text(row[4]) ?? '',
    model: text(row[5]),
    task: text(row[6]) ?? '',
    workflow: text(row[7]),
    step: text(row[8]),
    end: text(row[9]) as AttemptEnd,
    reason: text(row[10]),
    category: text(row[11]),
    verdict: text(row[12]) as EndedAttempt['verdict'],
    isRetry: row[13] === 1,
    durationMs: count(row[14]),
    modelMs: row[15] ?? null,
    throttledMs: count(row[16]),
    queuedMs: count(row[17]),
    tokens: row[18] ?? null,
    costUsd: row[19] ?? null,
    leftDefault: row[20] === 1,
  }));
}

function count(value: number | null | undefined): number {
  return value ?? 0;
}
