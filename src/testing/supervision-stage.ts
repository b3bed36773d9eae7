/** A supervisor of puppets on a clock that stands still. */
import { seededLuck } from '../base/luck.ts';
import type { SupervisorSpec } from '../supervision/supervisor-spec.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { ManualClock } from './manual-clock.ts';
import { PuppetCast } from './puppet-child.ts';

export class SupervisionStage {
  readonly clock = new ManualClock();
  readonly cast = new PuppetCast();

  start(spec: SupervisorSpec, luck = seededLuck(1)): Promise<Supervisor> {
    return Supervisor.start(spec, { clock: this.clock, luck, observe: this.cast.observe });
  }

  /** What is told of the end of one child at once, or within the time given. */
  async after(id: string, ms = 0): Promise<readonly string[]> {
    this.cast.told();
    this.cast.end(id);
    await this.clock.advance(ms);
    return this.cast.told();
  }
}
