import type { HookGroup, Middleware } from "./chain.ts";
import { type Engine, engine } from "./engine.ts";
import { KernelError } from "./failure.ts";
import type { Layer, Plan, Ports } from "./kernel.ts";
import { lifecycle } from "./lifecycle.ts";
import { compilePart, type Part, silence } from "./part.ts";
import { type CompiledPlan, compilePlan } from "./plan.ts";

/** A layer over its parent: compiles when it is read, and only if something of it or above it has changed. */
export class PlanLayer<C> implements Layer<C> {
  private readonly engine: Engine;
  private readonly parent: PlanLayer<C> | undefined;
  private readonly hidden: ReadonlySet<string> | undefined;
  private own: readonly Part[] | undefined = undefined;
  private compiled: CompiledPlan | undefined = undefined;
  private base: CompiledPlan | undefined = undefined;
  private revision = -1;

  constructor(engine: Engine, parent?: PlanLayer<C>, hidden?: ReadonlySet<string>) {
    this.engine = engine;
    this.parent = parent;
    this.hidden = hidden;
  }

  get plan(): Plan<C> {
    // The one place where a compiled plan gets the types that its table promises.
    return this.current() as unknown as Plan<C>;
  }

  add(source: Middleware<C> | HookGroup<C>): () => Promise<void> {
    const { engine } = this;
    const part = compilePart(source, engine.blueprint, engine.rows);
    this.change([...(this.own ?? []), part]);
    let undone: Promise<void> | undefined;
    return () => {
      undone ??= this.remove(part);
      return undone;
    };
  }

  child(options: { readonly without?: readonly string[] } = {}): Layer<C> {
    const { without = [] } = options;
    for (const slot of without) {
      if (this.engine.blueprint.includes(slot)) continue;
      throw new KernelError("unknown-slot", slot, `The blueprint has no slot "${slot}" that could be hidden.`);
    }
    return new PlanLayer<C>(this.engine, this, without.length === 0 ? undefined : new Set(without));
  }

  private async remove(part: Part): Promise<void> {
    this.change(this.own?.filter((other) => other !== part));
    await this.engine.waits.drain(part);
    silence(part);
  }

  private change(own: readonly Part[] | undefined): void {
    this.own = own?.length === 0 ? undefined : own;
    this.revision = -1;
    this.base = undefined;
    this.engine.revision++;
  }

  private current(): CompiledPlan {
    if (this.compiled !== undefined && this.revision === this.engine.revision) return this.compiled;
    const base = this.parent?.current() ?? emptyPlan(this.engine);
    if (this.compiled === undefined || this.base !== base) this.compiled = this.compile(base);
    this.base = base;
    this.revision = this.engine.revision;
    return this.compiled;
  }

  private compile(base: CompiledPlan): CompiledPlan {
    const { hidden, own = [] } = this;
    const shown = hidden === undefined ? base.parts : base.parts.filter(({ slot }) => !hidden.has(slot));
    if (own.length === 0 && shown.length === base.parts.length) return base;
    const gone = base.parts.filter((part) => !shown.includes(part));
    const touched = new Set([...own, ...gone].flatMap((part) => [...part.steps.keys()]));
    return compilePlan(this.engine, [...shown, ...own], { base, former: this.compiled, touched });
  }
}

const emptyPlans = new WeakMap<Engine, CompiledPlan>();

function emptyPlan(engine: Engine): CompiledPlan {
  const known = emptyPlans.get(engine);
  if (known !== undefined) return known;
  const made = compilePlan(engine, [], { base: undefined, former: undefined, touched: new Set() });
  emptyPlans.set(engine, made);
  return made;
}

/**
 * The root layer of a chain in the given order of slots. See docs/reference/kernel.md.
 * Adding a part whose slot the blueprint lacks, or that answers an unknown event, throws a KernelError.
 */
export function createKernel<C>(blueprint: readonly string[], ports: Ports): Layer<C> {
  return new PlanLayer<C>(engine(lifecycle, blueprint, ports));
}
