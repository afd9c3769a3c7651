/**
 * Solves the challenge when the sign-up form is submitted, in slices, so that the page stays responsive. The same
 * algorithm as `proof-of-work.ts` of the portals, which explains it. Sent as is, like `passkey-script.ts`.
 */
export const proofScript = `
(() => {
  const primes = [2];
  for (let n = 3; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  const fraction = (value) => ((value % 1) * 2 ** 32) | 0;
  const start = Int32Array.from(primes.slice(0, 8), (prime) => fraction(prime ** (1 / 2)));
  const [a0, b0, c0, d0, e0, f0, g0, h0] = start;
  const constants = Int32Array.from(primes, (prime) => fraction(prime ** (1 / 3)));
  const rotateRight = (word, bits) => (word >>> bits) | (word << (32 - bits));

  const matcher = (salt, hash) => {
    const expected = Int32Array.from(hash.match(/.{8}/g), (word, n) => (parseInt(word, 16) - start[n]) | 0);
    const view = new DataView(new ArrayBuffer(64));
    for (let n = 0; n < salt.length; n++) view.setUint8(n, salt.charCodeAt(n));
    const schedule = new Int32Array(64);
    return (text) => {
      const length = salt.length + text.length;
      for (let n = 0; n < text.length; n++) view.setUint8(salt.length + n, text.charCodeAt(n));
      view.setUint8(length, 0x80);
      for (let n = length + 1; n < 62; n++) view.setUint8(n, 0);
      view.setUint16(62, length * 8);
      for (let n = 0; n < 16; n++) schedule[n] = view.getInt32(n * 4);
      for (let n = 16; n < 64; n++) {
        const x = schedule[n - 15];
        const y = schedule[n - 2];
        const s0 = rotateRight(x, 7) ^ rotateRight(x, 18) ^ (x >>> 3);
        const s1 = rotateRight(y, 17) ^ rotateRight(y, 19) ^ (y >>> 10);
        schedule[n] = schedule[n - 16] + s0 + schedule[n - 7] + s1;
      }
      let [a, b, c, d] = [a0, b0, c0, d0];
      let [e, f, g, h] = [e0, f0, g0, h0];
      for (let n = 0; n < 64; n++) {
        const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
        const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[n] + schedule[n]) | 0;
        const t2 = (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = (d + t1) | 0;
        d = c;
        c = b;
        b = a;
        a = (t1 + t2) | 0;
      }
      return a === expected[0] && [a, b, c, d, e, f, g, h].every((word, n) => word === expected[n]);
    };
  };

  const solve = async ({ salt, hash, maxNumber, signature }) => {
    const isHashOf = matcher(salt, hash);
    let until = performance.now() + 20;
    for (let number = 0; number < maxNumber; number++) {
      if (isHashOf(String(number))) return salt + number + '.' + signature;
      if (number % 256 !== 0 || performance.now() < until) continue;
      await new Promise((resolve) => setTimeout(resolve));
      until = performance.now() + 20;
    }
    throw new Error('unsolvable');
  };

  const prepare = (form) => {
    const button = form.querySelector('button');
    const label = button.textContent;
    const alert = form.querySelector('div[role=alert]');
    const show = (isBusy, problem) => {
      button.setAttribute('aria-busy', String(isBusy));
      button.textContent = isBusy ? form.dataset.busy : label;
      alert.querySelector('p').textContent = problem;
      alert.hidden = !problem;
    };
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (button.getAttribute('aria-busy') === 'true') return;
      show(true, '');
      try {
        const response = await fetch(form.dataset.challenge, { method: 'POST' });
        if (!response.ok) throw new Error('refused');
        const { challenge } = await response.json();
        form.elements.proof.value = challenge ? await solve(challenge) : '';
        form.submit();
      } catch {
        show(false, form.dataset.error);
      }
    });
    addEventListener('pageshow', (event) => event.persisted && show(false, ''));
  };

  document.querySelectorAll('form[data-challenge]').forEach(prepare);
})();
`
  .trim()
  .replace(/\n\s+/g, '\n');
