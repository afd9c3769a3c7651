/**
 * Synonyms in support questions, one group per line. Terms are matched by their stems, so one form of a word is enough.
 * Only words that are synonyms for any product.
 */
const lines: Record<string, string> = {
  english: `
    refund, money back, reimburse, reimbursement, repay, get back paid, repayment
    return, send back, give back, bring back, take back, returned
    exchange, swap, replace, replacement, trade
    cancel, cancellation, terminate, termination, end, quit, call off, revoke, withdraw, undo, leave
    unsubscribe, opt out
    subscription, membership, plan, contract
    pause, hold, suspend, suspension, freeze, interrupt, break
    resume, restart, continue, reactivate
    bill, invoice, receipt, billing, proof of purchase
    price, cost, fee, charge, rate, pricing, expensive, much
    free, no charge, complimentary, at no cost, gratis, nothing
    cheap, cheaper, lower price, affordable
    pay, payment, paid, paying
    credit card, debit card, visa, mastercard, card
    instalment, installment, financing, finance, credit, monthly payment, spread cost, spread payment, loan
    discount, coupon, voucher, promo code, promotion, reduction, rebate, off
    voucher, gift card, gift voucher, gift certificate
    money, cash, bucks, amount
    delivery, deliver, shipping, ship, shipment, dispatch, arrive, send
    courier, carrier, driver, postman, delivery company
    parcel, package, packet, box
    track, tracking, trace
    late, delay, delayed, overdue, waiting, wait
    order, purchase, buy, bought
    buy, purchase, shop
    broken, defective, faulty, damaged, defect, break, broke
    damage, damaged, crushed, bent, dented, scratched, cracked, torn, snapped, smashed, wrecked
    fail, failure, malfunction, problem, issue, trouble, error, fault, wrong, not work
    dead, dies, died, empty, turn on, not start
    repair, fix, mend, service, maintenance
    workshop, garage, mechanic
    warranty, guarantee, covered
    worn, wear, worn out
    password, passcode, passphrase
    forgot, forgotten, forget
    lose, lost, missing, mislaid, misplaced, gone
    steal, stolen, theft, nicked, robbed, thief, thieves, burgled, pinched, burglary
    login, log in, sign in, signin, logon, log on
    log out, sign out, logout
    locked out, blocked, locked
    sign up, register, registration, enrol, create account, join
    account, profile
    delete, remove, erase, get rid, wipe, deletion
    close, shut, closed
    change, update, edit, modify, alter, switch, amend, adjust
    upgrade, higher plan
    downgrade, lower plan, cheaper plan
    install, set up, setup, installation, configure
    assemble, assembly, put together, build
    start, begin, launch, activate, enable, turn on, switch on
    deactivate, disable, turn off, switch off
    contact, reach, phone, call, telephone, hotline, speak, talk, touch
    support, customer service, helpdesk, customer care
    open, opening hours, business hours, office hours, hours, close
    saturday, sunday, weekend
    company, business, firm, organisation, organization, enterprise, employer
    boss, manager, employer, supervisor
    employee, staff, colleague, worker, coworker, teammate
    job, career, vacancy, vacancies, position, hiring, apply
    apprenticeship, trainee, training, intern, internship
    vacation, holiday, time off, annual leave, paid leave, pto, leave, trip, travel, abroad
    sick, ill, illness, sickness, hospital, doctor, injured
    salary, wage, paycheck, payroll
    remote, home office, work from home, telework
    expense, travel costs
    notice period, notice
    two-factor, 2fa, two-step, mfa, second factor, authenticator
    invite, invitation
    friend, refer, referral, recommend, recommendation
    reward, bonus, points, credit
    user, member, seat
    permission, access, rights, role
    allow, permitted, allowed, legal, permission
    data protection, privacy, gdpr, personal data, data
    export, download
    import, upload
    backup, restore, recovery, recover
    limit, maximum, quota, cap, at most, max
    minimum, at least
    duration, period, term, long
    deadline, time limit, due date, expire, expiry, valid, validity
    noise, loud, noisy, sound, squeak, squeal, rattle, creak, grinding
    beep, alarm, siren
    clean, cleaning, wash, dirty
    battery, charge, charging, power
    charger, charge, charging, plug, socket
    range, far, distance
    connect, connection, pair, pairing, link
    internet, wifi, wireless, wlan, network, offline
    slow, performance, lag, speed, fast
    update, new version, firmware, software
    size, dimensions, measurements, big, small, tall, height
    weight, heavy, weigh, kilos, kg, load
    address, move, relocate, moved, flat, apartment
    abroad, overseas, foreign, international, country, outside
    plane, flight, fly, airline, airport, flying
    train, rail, railway
    car, vehicle, drive
    parking, park
    store, storage, keep, storing
    shop, store, branch, outlet
    pick up, collect, collection, fetch, pickup
    someone else, somebody else, on behalf, authorise, authorisation, husband, wife, partner
    emergency, urgent, urgently
    complaint, complain, dissatisfied, unhappy, disappointed
    pet, dog, cat, animal, puppy
    child, children, kid, kids, toddler, baby, son, daughter, infant
    parent, mother, father, mum, dad
    grandmother, gran, grandma, grandfather, grandpa
    gift, present
    appointment, booking, reservation, book, reserve, schedule, slot
    insurance, insured, cover, coverage, insure
    accident, crash, fell, fall, collision
    police, report, crime
    language, translation
    notification, alert, reminder
    cellphone, mobile, smartphone, phone, iphone, android
    computer, laptop, desktop, pc, mac
    app, application
    screen, display, monitor
    required, mandatory, necessary, must, require, compulsory
    combine, together, merge, several
    rename, change name
    student, pupil, school, university, trainee
    age, old, years, young
    safe, secure, security, protect, safety
    dangerous, danger, risk, hazard
    recall, safety notice
    second-hand, used, pre-owned, refurbished
    rent, hire, borrow, lend, loan, rental
    try, test, trial, sample
    sell, sold, trade-in, part exchange
    tax, vat
    year, annual, yearly, annually
    month, monthly
    week, weekly
    day, daily, 24
    night, evening, overnight
    rain, wet, water, waterproof, moisture
    cold, winter, frost, snow, freezing
    hot, heat, summer, warm
    colour, color, paint
    key, lock, unlock
    spare, part, parts
    instructions, manual, guide, how-to
    material, made
    throw away, dispose, disposal, recycle, recycling, bin, rubbish
    tip, advice, recommend
    wrong, incorrect, mistake, accident
    double, twice, two times
    several, multiple, more than one
    instead, alternative, rather
    first, initial
    earlier, sooner, before
    send, sent
    get, receive, received
    give, gave, given
    choose, chosen, select, selection, pick
    write, written, wrote
    spend, spent
    hold, held
    ride, riding, rode
    wear, worn, wore
    bring, brought
    drive, driving, drove
    leave, left`,
  german: `
    rückerstattung, erstattung, geld zurück, erstatten, zurückzahlen, rückzahlung, gutschrift, zurückerstatten, geld wieder, zurückbekommen, erstattet
    rückgabe, zurückgeben, zurückschicken, rücksendung, retoure, zurücksenden, retournieren, zurückbringen
    umtausch, umtauschen, austauschen, ersatz, tauschen, austausch, ersetzen, wechseln
    kündigen, kündigung, beenden, auflösen, abbestellen, aussteigen, loswerden
    stornieren, stornierung, storno, rückgängig, absagen, annullieren
    widerruf, widerrufen, rücktritt
    abo, abonnement, mitgliedschaft, vertrag
    pausieren, pause, unterbrechen, aussetzen, ruhen, stilllegen, unterbrechung
    rechnung, beleg, quittung, faktura, abrechnung, kassenbon, kaufbeleg, kassenzettel
    preis, kosten, gebühr, kostet, entgelt, teuer, tarif
    kostenlos, gratis, umsonst, kostenfrei, gebührenfrei
    günstig, billig, günstiger, billiger, preiswert
    zahlen, bezahlen, zahlung, bezahlung, begleichen, bezahlt
    zahlungsart, zahlungsmittel, zahlungsmethode, zahlungsweise
    kreditkarte, karte, visa, mastercard
    raten, ratenzahlung, finanzierung, ratenkauf, abzahlen, abstottern, monatsrate, finanzieren
    überweisung, überweisen, bankverbindung, iban
    rabatt, nachlass, ermäßigung, skonto, preisnachlass, vergünstigung, prozente
    gutschein, geschenkkarte, gutscheincode, geschenkgutschein
    geld, bargeld, betrag, summe, bar
    lieferung, liefern, versand, versenden, zustellung, zustellen, ankommen, verschicken, geliefert, schicken
    paketdienst, bote, zusteller, spedition, postbote
    paket, päckchen, sendung, karton
    sendungsverfolgung, verfolgen, tracking, sendungsnummer
    verspätung, verspätet, verzögerung, warten, spät
    bestellung, bestellen, kaufen, kauf, auftrag, einkauf, bestellt
    kaufen, erwerben, holen, anschaffen
    kaputt, defekt, beschädigt, fehlerhaft, mangel, gebrochen, hinüber
    schaden, beschädigung, beschädigt, verbogen, zerkratzt, gerissen, kratzer, delle, transportschaden
    fehler, problem, störung, ausfall, fehlermeldung
    reparatur, reparieren, instandsetzen, beheben, richten, wartung, inspektion
    werkstatt, mechaniker, service
    garantie, gewährleistung
    verschleiß, abgenutzt, verschlissen
    passwort, kennwort, zugangsdaten
    vergessen, zurücksetzen
    verloren, verlieren, verlust, abhanden, weg, verlegt
    diebstahl, gestohlen, geklaut, klauen, stehlen, entwendet, dieb, geklaut
    anmelden, einloggen, anmeldung, login
    abmelden, ausloggen, logout
    gesperrt, ausgesperrt, blockiert, sperren, sperrung
    registrieren, registrierung, anlegen, beitreten
    konto, account, benutzerkonto, profil, kundenkonto
    löschen, entfernen, löschung, vernichten
    schließen, zu, geschlossen
    ändern, änderung, wechseln, bearbeiten, aktualisieren, anpassen, umstellen
    installieren, einrichten, installation, einrichtung, aufsetzen, konfigurieren
    aufbauen, zusammenbauen, montieren, montage, aufbau, anbauen
    aktivieren, einschalten, anschalten, freischalten, starten
    deaktivieren, ausschalten, abschalten, abstellen, ausmachen
    kontakt, erreichen, anrufen, telefon, hotline, telefonisch, sprechen, telefonnummer
    kundendienst, kundenservice, support
    öffnungszeiten, geöffnet, geschäftszeiten, sprechzeiten, offen, aufhaben
    samstag, sonntag, wochenende, samstags, sonntags
    firma, unternehmen, betrieb, gesellschaft, arbeitgeber
    chef, vorgesetzter, arbeitgeber
    mitarbeiter, beschäftigte, angestellte, kollege, arbeitnehmer, personal
    job, stelle, arbeitsplatz, jobwechsel, arbeitgeberwechsel, stellenangebot
    bewerben, bewerbung
    ausbildung, azubi, lehre, lehrstelle, praktikum
    urlaub, ferien, freie tage, urlaubstage, frei, reise, verreisen
    krank, krankheit, krankmeldung, krankschreibung, arbeitsunfähig, attest, krankenhaus, arzt, verletzt
    gehalt, lohn, vergütung, verdienst
    homeoffice, telearbeit, mobiles arbeiten
    spesen, reisekosten, auslagen
    kündigungsfrist, frist
    zwei-faktor, 2fa, zweiter faktor, authenticator
    einladen, einladung
    freund, freunde, bekannte, werben, weiterempfehlen, empfehlen, empfehlung, tipp
    prämie, bonus, belohnung, guthaben
    benutzer, nutzer, mitglied, anwender
    berechtigung, rechte, zugriff, rolle, zugang
    erlaubt, gestattet, zulässig, verboten, dürfen
    datenschutz, dsgvo, daten, auskunft, gespeichert
    exportieren, herunterladen, export, download
    importieren, hochladen, import, upload
    sicherung, backup, wiederherstellen, datensicherung, wiederherstellung
    höchstens, maximal, grenze, limit, maximum, höchstbetrag
    mindestens, minimum, mindestbetrag
    dauer, dauert, laufzeit, zeitraum
    frist, ablaufen, gültig, ablauf, gültigkeit, verfallen, verfällt, abgelaufen
    laut, lärm, geräusch, quietschen, knarzen, klappern, schleifen
    piepen, alarm, piept, sirene, piepst
    reinigen, putzen, säubern, reinigung, sauber, schmutzig, dreckig
    akku, batterie, laden, aufladen
    ladegerät, aufladen, laden, steckdose, netzteil
    reichweite, kilometer, weit
    verbinden, verbindung, koppeln, kopplung
    internet, wlan, netz, netzwerk
    langsam, geschwindigkeit, schnell, tempo
    update, aktualisierung, neue version, firmware
    größe, maße, abmessungen, groß, klein, passt, körpergröße
    gewicht, schwer, wiegt, kilo, kg
    adresse, anschrift, umzug, umziehen, umgezogen
    ausland, länder, international
    flugzeug, flug, fliegen, flughafen
    bahn, zug, ice, züge
    auto, fahrzeug, pkw
    parken, parkplatz, abstellen
    lagern, lagerung, einlagern, aufbewahren, unterstellen, aufheben, aufbewahrung
    laden, geschäft, filiale, shop, store
    abholen, abholung, mitnehmen, abgeholt
    vollmacht, jemand anderes, vertretung, mann, frau, partner, bevollmächtigt
    notfall, dringend, eilig
    beschwerde, reklamation, reklamieren, beanstandung, beschweren, unzufrieden
    haustier, hund, katze, tier
    kind, kinder, baby, tochter, sohn, kleinkind, säugling
    eltern, mutter, vater, mama, papa
    geschenk, verschenken, schenken
    termin, buchung, reservierung, buchen, reservieren, vereinbaren
    versicherung, versichert, versichern
    unfall, sturz, gestürzt, zusammenstoß
    polizei, anzeige
    benachrichtigung, hinweis, erinnerung
    handy, smartphone, mobiltelefon, iphone, android
    rechner, computer, laptop, pc
    bildschirm, display, anzeige
    pflicht, erforderlich, notwendig, nötig, verpflichtend, vorgeschrieben
    kombinieren, zusammen, kombinierbar, gleichzeitig
    student, schüler, studierende, studenten
    alter, jahre, alt, mindestalter
    sicher, sicherheit, schützen, schutz
    gefährlich, gefahr, risiko
    rückruf, sicherheitshinweis
    gebraucht, gebrauchte, secondhand
    verkaufen, ankauf, zahlung nehmen, loswerden, inzahlungnahme, verkauf
    mieten, leihen, ausleihen, verleih, miete, verleihen
    probieren, testen, ausprobieren, probe
    steuer, mehrwertsteuer, mwst, umsatzsteuer
    jahr, jährlich, jahre
    monat, monatlich, monate
    woche, wöchentlich, wochen
    tag, täglich, tage
    nacht, abend, nachts, abends
    regen, nass, wasser, wasserdicht, feucht
    kalt, winter, frost, schnee, kälte
    heiß, hitze, sommer, warm
    farbe, lack
    schlüssel, schloss
    ersatzteil, teil, ersatzteile
    anleitung, handbuch, bedienungsanleitung
    entsorgen, entsorgung, wegwerfen, recycling, müll, ausgedient, alt
    falsch, versehen, irrtum, irrtümlich, verkehrt
    doppelt, zweimal
    mehrere, mehr als
    kurs, seminar, workshop, schulung, lernen
    helm, schutzausrüstung
    führerschein, kennzeichen, zulassung
    prozent, anteil
    löhne, lohn, gehaltsumwandlung
    weiter, weiterhin, trotzdem
    schicken, senden, geschickt
    brechen, gebrochen
    nehmen, genommen`,
  french: `
    remboursement, rembourser, argent
    retour, retourner, renvoyer
    échange, échanger, remplacer, remplacement
    annuler, annulation, résilier, résiliation, arrêter
    abonnement, forfait, adhésion
    facture, reçu, facturation
    prix, coût, tarif, frais, coûte
    gratuit, gratuitement, sans frais
    payer, paiement, régler, règlement
    réduction, remise, promo, promotion, bon
    livraison, livrer, expédition, expédier, envoi, envoyer
    colis, paquet
    retard, tard
    commande, commander, acheter, achat
    cassé, défectueux, endommagé, panne, abîmé
    erreur, problème, dysfonctionnement
    réparer, réparation
    garantie
    mot de passe, code
    oublié, perdu, réinitialiser
    connexion, connecter, identifier
    inscription, inscrire, créer compte
    compte, profil
    supprimer, effacer, suppression, fermer
    modifier, changer, modification, changement
    installer, installation, configurer
    contacter, contact, téléphone, appeler, joindre
    horaires, ouvert, ouverture
    entreprise, société
    employé, salarié, personnel
    congés, vacances
    salaire, paie, rémunération
    délai, durée
    adresse, déménager, déménagement`,
  spanish: `
    reembolso, reembolsar, devolución dinero, devolver dinero
    devolución, devolver
    cambio, cambiar, reemplazo, sustituir
    cancelar, cancelación, dar de baja, anular
    suscripción, plan, membresía
    factura, recibo, facturación
    precio, costo, coste, tarifa, cuesta, cuota
    gratis, gratuito, gratuita
    pagar, pago, abonar
    descuento, cupón, promoción, rebaja
    envío, enviar, entrega, entregar
    paquete
    retraso, demora
    pedido, comprar, compra, pedir
    roto, defectuoso, dañado, averiado
    error, problema, fallo
    reparar, reparación, arreglar
    garantía
    contraseña, clave
    olvidado, olvidé, perdido, restablecer
    iniciar sesión, acceder, entrar
    registrarse, registro, crear cuenta
    cuenta, perfil
    eliminar, borrar, cerrar
    modificar, cambiar, editar
    instalar, instalación, configurar
    contactar, contacto, teléfono, llamar
    horario, abierto
    empresa, compañía
    empleado, trabajador, personal
    vacaciones, días libres
    salario, sueldo, nómina
    plazo, duración
    dirección, mudanza`,
};

/** The groups of synonyms of each text search configuration. */
export const synonyms: ReadonlyMap<string, readonly string[][]> = new Map(
  Object.entries(lines).map(([config, text]) => [
    config,
    text
      .trim()
      .split('\n')
      .map((line) => line.split(',').map((term) => term.trim())),
  ]),
);
