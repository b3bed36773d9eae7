/** A supervisor with fake children on a stopped clock. */
import { seededRandom } from '../../src/base/random.ts';
import type { SupervisorSpec } from '../../src/supervision/supervisor-spec.ts';
import { Supervisor } from '../../src/supervision/supervisor.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import { FakeChildren } from '../../src/testing/fakes/fake-child.ts';

export class SupervisionHarness {
  readonly clock = new ManualClock();
  readonly cast = new FakeChildren();

  start(spec: SupervisorSpec, random = seededRandom(1)): Promise<Supervisor> {
    return Supervisor.start(spec, {
      clock: this.clock,
      random,
      observe: this.cast.observe,
    });
  }

  /** The events that follow the end of one child, at once or within the given time. */
  async after(id: string, ms = 0): Promise<readonly string[]> {
    this.cast.told();
    this.cast.end(id);
    await this.clock.advance(ms);
    return this.cast.told();
  }
}
