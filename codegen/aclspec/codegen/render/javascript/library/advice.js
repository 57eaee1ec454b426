// When the page looks for fixes: once nothing was typed for a while, in slices so short that typing does not wait.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const PAUSE = 250; // milliseconds after the last change
  const SLICE = 8;
  const GAP = 4;
  const MOST_STEPS = 200_000;

  ask.Advice = class Advice {
    /** `show` takes a product and its fixes. */
    constructor(operator, show) {
      Object.assign(this, { operator, show, timer: 0, rules: new Map() });
    }

    /** Give up the call before, and look for the fixes of this one on these products, in their order. */
    on(call, products) {
      clearTimeout(this.timer);
      this.steps = 0;
      this.timer = products.length ? setTimeout(() => this.start(call, products), PAUSE) : 0;
    }

    async start(call, products) {
      const { timer } = this;
      await ask.need("fixes");
      if (timer === this.timer) this.run(this.search(call, products)); // else the call changed while the scripts came
    }

    run(search) {
      const end = performance.now() + SLICE;
      while (performance.now() < end) {
        if (search.next().done || (this.steps += 1) > MOST_STEPS) return;
      }
      this.timer = setTimeout(() => this.run(search), GAP);
    }

    *search(call, products) {
      const known = new Map();
      for (const product of products) {
        const rules = this.rulesOf(product);
        if (!known.has(rules)) known.set(rules, yield* ask.findFixes(this.operator, call, product));
        this.show(product, known.get(rules));
      }
    }

    /** What is the same for products that check the same rules with the same dtype rows: one search is for all of them. */
    rulesOf(product) {
      if (!this.rules.has(product)) this.rules.set(product, this.rulesAndRows(product));
      return this.rules.get(product);
    }

    rulesAndRows(product) {
      const { operator } = this;
      const inMode = (mode) => [
        operator.rules.map((rule) => Number(ask.isEnforced(rule, { product, mode }))),
        operator.rows.map((row) => Number(row.products.includes(product) && row.modes.includes(mode))),
      ];
      const caveats = operator.caveats.map(({ products }) => Number(!products || products.includes(product)));
      return JSON.stringify([operator.products.includes(product), caveats, ...["document", "library"].map(inMode)]);
    }
  };
})();
