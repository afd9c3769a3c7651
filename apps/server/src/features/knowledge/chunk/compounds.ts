/**
 * German and its neighbours write in one word what others write in two. Whoever asks for the "Nummer" must find the
 * "Bestellnummer", so chunks are also found by the parts of their long words. Parts are only taken for such when they
 * are words: of the same document, or of these, which support texts are full of.
 */
const commonParts: Record<string, string> = {
  german: `abo abonnement abrechnung absender adresse aktion angebot angabe anfrage anleitung anmeldung antrag anwendung
    anzahl anzeige artikel aufnahme auftrag ausgabe auswahl ausweis bahn bank bearbeitung bedingung beitrag beleg benutzer
    berater bereich beschreibung bestätigung bestellung betrag betrieb bezahlung bild brief buch buchung code daten datei
    datum dauer dienst dokument druck drucker eingabe einkauf einrichtung einstellung empfang empfänger ende erinnerung
    erklärung ersatz erstattung fach farbe fehler feld filiale firma firmen form formular frage frist funktion garantie
    gebühr gerät geld geschenk gewicht gewähr grenze größe grund gruppe gutschein gutschrift haus hersteller hilfe hinweis
    inhalt jahr karte kasse kategorie kauf kennwort klasse konto kontakt kosten kredit kunde kunden kündigung kurs lager
    land laufzeit leistung lieferung liefer lager liste lösung mail marke menge meldung mitglied mitteilung modell monat
    muster nachricht nachweis name netz nummer nutzer nutzung objekt ordner ort paket partner passwort pauschale person
    plan platz post preis problem produkt programm prüfung punkt quittung rabatt raum rechnung recht regel reise
    reparatur reservierung retoure rückgabe rück sache schein schlüssel schluss schutz schritt seite sendung service
    sicherheit sicherung sitz software speicher sperre stand start status steuer stelle stornierung störung stück stunde
    system tag tarif tausch technik teil teilnehmer telefon termin ticket titel transport umtausch unternehmen verbindung
    verfahren verlauf vermittlung versand versicherung version vertrag verwaltung verzeichnis vorgang waren weg wechsel
    werk wert widerruf woche zahl zahlung zeichen zeit zeitraum zentrum zettel ziel zimmer zins zone zugang zubehör zustand
    zustellung`,
  dutch: `aanvraag abonnement account adres afspraak artikel bank bedrag bestelling betaling bewijs brief code
    datum dienst factuur formulier garantie gegevens gids instelling kaart klant kosten korting levering nummer pakket
    pagina pas plan prijs product punt rekening retour service status systeem tarief tijd toegang wachtwoord winkel`,
};

/** Between two parts: Bestellung-s-nummer, Karte-n-nummer. */
const links = ['', 's', 'es', 'n', 'en', 'er'];
const endings = ['', 'en', 'n', 'e', 's', 'es', 'er'];

const dictionaries = new Map(
  Object.entries(commonParts).map(([config, words]) => [config, new Set(words.split(/\s+/))] as const),
);

/** Words that long words of this language may be put together from; undefined where they are not. */
export function partsKnown(config: string, words: Iterable<string>): ReadonlySet<string> | undefined {
  const common = dictionaries.get(config);
  if (!common) return undefined;
  const known = new Set(common);
  for (const word of words) if (word.length >= 5) known.add(word);
  return known;
}

/** What is longer was not put together by somebody who writes. */
const longestWord = 60;

/** The parts of one word, as far as they are known: Rückgabefrist -> frist, rückgabe. */
export function partsOf(word: string, known: ReadonlySet<string>): string[] {
  if (word.length < 8 || word.length > longestWord) return [];
  for (let cut = 3; cut <= word.length - 3; cut++) {
    const [head, tail] = [word.slice(0, cut), word.slice(cut)];
    if (!isKnown(tail, known)) continue;
    const first = links
      .filter((link) => head.endsWith(link))
      .map((link) => head.slice(0, head.length - link.length))
      .find((part) => part.length >= 3 && known.has(part));
    // A short tail alone is chance (ver-trag is no part of "Vertrag"): then the head must be a word as well.
    if (!first && tail.length < 5) continue;
    return [tail, ...(first ? [first] : []), ...partsOf(tail, known)];
  }
  return [];
}

const isKnown = (word: string, known: ReadonlySet<string>): boolean =>
  endings.some((ending) => {
    const stem = word.endsWith(ending) ? word.slice(0, word.length - ending.length) : '';
    return stem.length >= 3 && known.has(stem);
  });
