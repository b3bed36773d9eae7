/**
 * The prices of models that are shipped with Supervisor: `config/prices.json`. Rows of the newest models come from
 * secondary sources, and a note says so. A model that is not listed has no price, and its cost is null, never a guess.
 * If sources differ, the higher price is listed.
 */
import { readPackageFile } from '../host/files/package-data.ts';
import { PriceTableFile } from './price-file.ts';
import type { Price } from './price.ts';

export type PriceTable = {
  /** The day on which a row was last added or changed. */
  readonly date: string;
  readonly sources: readonly string[];
  readonly prices: readonly Price[];
};

/** Read once: the file belongs to the program like its code. */
export const PRICES: PriceTable = PriceTableFile.parse(JSON.parse(readPackageFile('prices.json')));
