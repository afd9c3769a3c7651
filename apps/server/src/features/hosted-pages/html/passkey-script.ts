/**
 * Passkeys require a script, so their forms are hidden until this has run; everything else works without it. Plain
 * JavaScript in a string: it is sent as is and allowed by its hash.
 */
export const passkeyScript = `
(() => {
  const toBytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0));
  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '');
  const withBytes = (entry) => ({ ...entry, id: toBytes(entry.id) });

  const readOptions = (text) => {
    const options = JSON.parse(text);
    options.challenge = toBytes(options.challenge);
    if (options.user) options.user = withBytes(options.user);
    for (const list of ['allowCredentials', 'excludeCredentials'])
      if (options[list]) options[list] = options[list].map(withBytes);
    return options;
  };

  const writeCredential = (credential) => {
    const from = credential.response;
    const response = { clientDataJSON: toText(from.clientDataJSON) };
    if (from.attestationObject) {
      response.attestationObject = toText(from.attestationObject);
      response.transports = from.getTransports ? from.getTransports() : [];
    } else {
      response.authenticatorData = toText(from.authenticatorData);
      response.signature = toText(from.signature);
      if (from.userHandle) response.userHandle = toText(from.userHandle);
    }
    return JSON.stringify({
      id: credential.id,
      rawId: toText(credential.rawId),
      type: credential.type,
      response,
      clientExtensionResults: credential.getClientExtensionResults(),
      authenticatorAttachment: credential.authenticatorAttachment || undefined,
    });
  };

  const prepare = (form) => {
    const button = form.querySelector('button');
    const label = button.querySelector('[data-label]');
    const alert = form.querySelector('div[role=alert]');
    const text = label.textContent;
    const show = (isBusy, problem) => {
      button.setAttribute('aria-busy', String(isBusy));
      label.textContent = isBusy ? button.dataset.busy : text;
      alert.querySelector('p').textContent = problem;
      alert.hidden = !problem;
    };
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (button.getAttribute('aria-busy') === 'true') return;
      show(true, '');
      try {
        const publicKey = readOptions(form.dataset.options);
        const credential = await navigator.credentials[form.dataset.passkey]({ publicKey });
        form.elements.credential.value = writeCredential(credential);
        form.submit();
      } catch {
        show(false, form.dataset.error);
      }
    });
    // The back button may restore the page from the bfcache in its busy state.
    addEventListener('pageshow', (event) => event.persisted && show(false, ''));
  };

  if (window.PublicKeyCredential) document.querySelectorAll('form[data-passkey]').forEach(prepare);
  else document.querySelectorAll('[data-passkey-missing]').forEach((element) => (element.hidden = false));
})();
`
  .trim()
  .replace(/\n\s+/g, '\n');
