/** Lays out the columns of a table. On a terminal that is too narrow, less important columns are cut with an ellipsis. */
import type { Terminal } from '../../host/output/terminal.ts';
import { cutToWidth, displayWidth } from '../../host/output/fit-lines.ts';

export type TableColumn = {
  readonly title: string;
  readonly isRight?: true;
  /** The column may be cut to this many characters. The last such column is cut first. */
  readonly least?: number;
  /** The column is left out if the others need its room. The first such column is left out first. */
  readonly canHide?: true;
};

export type TableRows = {
  /** The titles, padded like the cells below them. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

const GAP = '  ';

/** Every cell has the width of its column. In a pipe nothing is cut. `rows`: cells without line breaks. */
export function layOutTable(
  { isTty, width }: Pick<Terminal, 'isTty' | 'width'>,
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): TableRows {
  const natural = naturalWidths(columns, rows);
  const widths = isTty ? shrink(columns, natural, width) : natural;
  const lay = (row: readonly string[]): readonly string[] =>
    columns.map(({ isRight }, nth) => fill(row[nth] ?? '', widths[nth] ?? 0, isRight === true));
  return { head: lay(columns.map(({ title }) => title)), rows: rows.map(lay) };
}

/** The places of the columns that fit on the terminal, with all of them cut as far as they may be. */
export function placesThatFit(
  { isTty, width }: Pick<Terminal, 'isTty' | 'width'>,
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): readonly number[] {
  let places = [...columns.keys()];
  const leasts = naturalWidths(columns, rows).map((natural, place) =>
    Math.min(natural, columns[place]?.least ?? natural),
  );
  const needed = (): number =>
    places.reduce((sum, place) => sum + (leasts[place] ?? 0), GAP.length * (places.length - 1));
  if (!isTty) return places;
  while (needed() > width) {
    const hidden = places.find((place) => columns[place]?.canHide === true);
    if (hidden === undefined) break;
    places = places.filter((place) => place !== hidden);
  }
  return places;
}

/** One line of the table. The last cell has no blanks after it. */
export function joinCells(cells: readonly string[]): string {
  return cells.join(GAP).trimEnd();
}

function naturalWidths(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): readonly number[] {
  return columns.map(({ title }, nth) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[nth] ?? ''))),
  );
}

function shrink(
  columns: readonly TableColumn[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const widths = [...natural];
  const gaps = GAP.length * (columns.length - 1);
  let excess = natural.reduce((sum, one) => sum + one, gaps) - width;
  for (const [nth, { least }] of [...columns.entries()].toReversed()) {
    if (least === undefined || excess <= 0) continue;
    const before = widths[nth] ?? 0;
    const after = Math.max(Math.min(least, before), before - excess);
    widths[nth] = after;
    excess -= before - after;
  }
  return widths;
}

function fill(cell: string, width: number, isRight: boolean): string {
  const text = cutToWidth(cell, width);
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return isRight ? `${blanks}${text}` : `${text}${blanks}`;
}
