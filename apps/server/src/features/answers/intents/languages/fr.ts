import type { LanguageRules } from '../rules.ts';

export const fr: LanguageRules = {
  filler: `🌙, 🌛, 🌜, 😴, 💤, 🌟, ⭐, ☀, 🌞, 😘, 😍, 🤗, ☺, 😇, 👏, 💪, 🎉, 👌, 💯, ✅, 🙌, ✨, 😎, 😏, 😒, 😑, 😐, 😩, 😫, 🥺, 😱, 🤦, 🤷, 👎, 🤮, 🤡, 🤖, 💔, 💖, 💙, 💕, 🌹, 🌸, 💐, 😋, 🤩, 😌, 😆, 😬, 🙃, 😳, 😔, 😕, 🙁, ☹, 😣, 😖, 👀, ❗, ❓, ⚠, 🆘,
    📞, ☎, 🛑, ✋, ❌, pls, plz, please, lol, bonjour, bonsoir, salut, hello, coucou, bjr, bsr, slt, hey, allo, svp, stp, s'il vous plaît, s'il te plaît, s'il vous plait merci, ok, okay, oki, d'accord,
    bon, ben, bah, alors, euh, heu, hum, hmm, donc, maintenant, tout de suite, immédiatement, vite, rapidement, d'urgence, urgent, urgence, c'est urgent, dès que possible, au plus vite,
    le plus vite possible, si possible, enfin, excusez moi, excuse moi, pardon, désolé, désolée, juste, vraiment, franchement, sérieusement, sérieux, aujourd'hui, encore, là, et, mais, en fait,
    du coup, quand même, monsieur, madame, bot, chatbot, robot, dis moi, dites moi, dis, dites, au fait, sinon, hein, quoi, non mais, ah, oh, putain, voilà, merci de votre aide, merci d'avance,
    merci par avance, 🙏, 👋, 😊, 🙂, 😀, 😅, 😂, 🤣, ❤, 👍, 😡, 😠, 🤬, 😤, 🙄, 😭, 😢, 😞, 😉, 😃, 😄, 😁, 🤔, 🥰, 💩, 🖕, mdr, ptdr`,
  lists: {
    person: `humain, humaine, humains, être humain, êtres humains, personne, personnes, quelqu'un, qqn, qqun, qq1, quelqu un, agent, agents, l'agent, conseiller, conseillers, conseillère,
      conseillères, conseillé, téléconseiller, téléconseillère, opérateur, opérateurs, opératrice, l'opérateur, téléopérateur, téléopératrice, interlocuteur, interlocutrice, l'interlocuteur,
      collaborateur, collaborateurs, collaboratrice, employé, employée, employés, l'employé, représentant, représentante, représentants, responsable, responsables, manager, managers, gérant, gérante,
      superviseur, directeur, directrice, chef, patron, patronne, supérieur, supérieure, boss, technicien, technicienne, commercial, commerciale, vendeur, vendeuse, collègue, collègues, expert,
      experte, l'expert, spécialiste, spécialistes, préposé, préposée, chargé de clientèle, chargée de clientèle, standardiste, réceptionniste, gens, homme, femme, dame, mec, salarié, salariée,
      correspondant, membre de votre équipe, membre de l'équipe, membre du personnel, membre`,
    ofyou: `du service, du département, de votre équipe, de vos équipes, de ton équipe, de chez vous, de l'équipe, du support, du sav, de la compta, de la comptabilité, de votre service,
      de vos services, de votre entreprise, de votre société, de votre boîte, de votre agence, de votre magasin, de l'agence, de la clinique, du cabinet, du magasin, de la boutique, de l'accueil,
      de la banque, de la mairie, de la direction, du standard, du bureau, de l'atelier, du secrétariat, du commercial, de l'assistance, de la facturation, de la hotline, de l'hôtel,
      de votre personnel, d'autre que toi, d'autre que vous, d'autre que ce bot, d'autre qu'un robot, d'autre qu'un bot, d'autre qu'une machine, d'autre qu'une ia, d'humain, de vivant, de réel,
      de compétent, de qualifié, de sérieux, d'intelligent, de responsable`,
    deptname: `client, clients, clientèle, réclamations, réclamation, comptabilité, comptable, commercial, technique, juridique, facturation, fraude, antifraude, contentieux, recouvrement, sinistres,
      sinistre, après vente, consommateurs, consommateur, voyageurs, urbanisme, état civil, scolarité, informatique, ressources humaines, rh, réservations, réservation, abonnements, abonnés,
      résiliation, résiliations, livraison, expédition, expéditions, logistique, achats, ventes, qualité, litiges, remboursements, des réclamations, des ventes, des sinistres, des réservations,
      des urgences, des abonnements, des litiges, de la facturation, de la comptabilité, des impôts, des cartes, social, des ressources humaines, de facturation, d'assistance, assistance`,
    dept: `service, services, service client, département, atelier, l'atelier, siège, comptabilité, compta, facturation, contentieux, recouvrement, service juridique, juridique, fraude, antifraude,
      l'antifraude, scolarité, administration, l'administration, secrétariat, standard, accueil, l'accueil, réception, direction, ressources humaines, rh, informatique, logistique, service commercial,
      hotline, helpdesk, sav, permanence, rédaction, équipe, équipes, l'équipe, assistance, l'assistance, support, conciergerie, modération`,
    job: `médecin, docteur, dr, infirmier, infirmière, l'infirmière, d'infirmière, avocat, avocate, l'avocat, juriste, notaire, pharmacien, pharmacienne, dentiste, psychologue, psy, kiné, vétérinaire,
      véto, sage femme, chirurgien, radiologue, opticien, opticienne, diététicien, diététicienne, nutritionniste, architecte, l'architecte, plombier, électricien, l'électricien, chauffagiste,
      dépanneur, réparateur, mécanicien, mécano, garagiste, installateur, l'installateur, artisan, l'artisan, ingénieur, l'ingénieur, développeur, développeuse, informaticien, administrateur,
      modérateur, formateur, formatrice, professeur, prof, enseignant, l'enseignant, tuteur, éducateur, coach, assistante sociale, assistant social, l'assistante sociale, élu, l'élu, maire, adjoint,
      l'adjoint, concierge, banquier, banquière, assureur, l'assureur, courtier, courtière, comptable, expert comptable, consultant, consultante, inspecteur, l'inspecteur, fonctionnaire, guichetier,
      guichetière, caissier, caissière, hôtesse, l'hôtesse, hôtesse d'accueil, chef de projet, chef d'agence, chef de rayon, chef d'atelier, gestionnaire, référent, référente, proviseur, styliste,
      coiffeur, coiffeuse, esthéticienne, traducteur, cuisinier, chef de produit, chargé de projet, chargé d'affaires, chargé de sinistre, coordinateur, coordinatrice, monteur, secrétaire, assistante,
      demoiselle, fille, gars, jeune femme, jeune homme, madame, mme, monsieur, mr, mlle, mademoiselle, maître, professionnel, professionnelle, agent de voyage, agent de voyages`,
    staff: `humain, humaine, humains, être humain, vraie personne, personne réelle, personne physique, personne humaine, personne compétente, conseiller, conseillers, conseillère, conseillé, agent,
      agents, l'agent, opérateur, opératrice, opérateurs, l'opérateur, téléconseiller, téléconseillère, interlocuteur, interlocutrice, superviseur, manager, responsable, supérieur, service client,
      service clients, service clientèle, service à la clientèle, sav, support, support technique, hotline, préposé, préposée, représentant, représentante, chargé de clientèle, service concerné,
      service compétent, service technique, bon service, vos collègues, de vos collègues, votre collègue, ton collègue, tes collègues, de tes collègues, quelqu'un de compétent, quelqu'un de réel,
      quelqu'un de qualifié, quelqu'un d'autre, vrai, standard, votre équipe, vos équipes, technicien`,
    tprep: `à, a, avec, au, aux, vers, auprès de, auprès d, auprès du, auprès dun, auprès d'un, auprès d'une, ac, av, directement avec, directement à, directement au, face à, à l, en direct avec`,
    you: `tu es, t es, t'es, tes, es tu, est tu, tu est, vous êtes, êtes vous, est ce que tu es, est ce que t'es, est ce que vous êtes, tu n'es pas, tu es pas, vous n'êtes pas, t'es pas,
      n'êtes vous pas, n'es tu pas, tu serais, vous seriez, serais tu, seriez vous, tu es vraiment, vous êtes vraiment, t'es vraiment, je parle à, je parle avec, est ce que je parle à,
      est ce que je parle avec, parle je à, parle je avec, je parle bien à, je parle bien avec, est ce que je parle bien à, est ce que je discute avec, je discute avec, discute je avec,
      suis je en train de parler à, suis je en train de parler avec, suis je en train de discuter avec, je suis en train de parler à, je suis en train de parler avec,
      je suis en train de discuter avec, est ce que je suis en train de parler à, est ce que je suis en train de parler avec, est ce que je suis en train de discuter avec, suis je en contact avec,
      suis je en ligne avec, suis je en relation avec, j'ai affaire à, ai je affaire à, est ce que j'ai affaire à, on parle à, je dialogue avec, est ce que je dialogue avec, j'échange avec,
      est ce que j'échange avec, j'écris à, est ce que j'écris à, je chatte avec, est ce que je chatte avec, ce chat est, ce chat est il, ce tchat est il, ce service est il, ce tchat est,
      vous êtes bien, tu es bien, t'es bien, êtes vous plutôt, es tu plutôt, tu es plutôt, vous êtes plutôt, t'es plutôt, c'est vraiment, là je parle à, là je parle avec, qui me répond, qui répond,
      qui me parle, ici je parle à`,
    self: `personne, machine, fille, garçon, homme, femme, mec, nana, gars, meuf, marié, mariée, célibataire, automatique, virtuel, virtuelle, artificiel, artificielle, automatisé, automatisée,
      programme, logiciel, ordinateur, conseiller, conseillère, agent, opérateur, opératrice, employé, employée, technicien, monsieur, madame, standardiste, collaborateur, salarié, salariée,
      quelqu'un, interlocuteur, intelligence, assistant, assistante, assistant personnel, conscient, consciente, intelligent, intelligente, sensible, script, français, française, vrai, vraie, vrais,
      jeune, vieux, enfant, adulte, réel, personnes, gens, vraies gens, algorithme, répondeur, faux, fake, authentique, connecté, bête, simple machine`,
    may: `devrait, devraient, devrait il, devrait elle, doit il, est il en mesure de, peut encore, pourrait encore, est prêt à, accepterait de, aurait le temps de, a le temps de, a une minute pour,
      a deux minutes pour, a 5 minutes pour, est libre pour, est il libre pour, est il dispo pour, est elle disponible pour, sont disponibles pour, pourrait peut être, est ce possible de,
      serait il disponible pour, serait elle disponible pour, peut, pourrait, pourra, peux, peut il, peut elle, pourrait il, pourrait elle, va, doit, pourrais, peut t il, va t il, va t elle,
      pourraient, peuvent, pourront, saurait, est capable de, est en mesure de, veut bien, voudrait, est susceptible de, est disponible pour, serait disponible pour, dispo pour, disponible pour,
      est dispo pour, serait dispo pour, peut on, pourrait on, on peut, peut t elle, serait en mesure de, est là pour, est il disponible pour, est ce que, peuvent ils, pourraient ils`,
    wantone: `je veux, je voudrais, je souhaite, j'aimerais, je préfère, je préférerais, je préfèrerais, j'exige, il me faut, il me faudrait, j'ai besoin, j ai besoin, j'aurais besoin, j'aurai besoin,
      besoin, veux, voudrais, je demande, je réclame, je cherche, on veut, nous voulons, nous voudrions, je veut, je veu, je souhaiterais, je désire, j'aimerai, j aimerais, jveux, c'est possible,
      possible, nous avons besoin, on a besoin, donnez nous, j'attends, j'attend, je voulais, souhaite, aimerais, préfère, exige, vite, plutôt, j'ai envie, je voudrai, peut on avoir, puis je avoir,
      on peut avoir, je peux avoir, pourrais je avoir, je pourrais avoir, possible d'avoir, peux avoir, pourrait on avoir`,
    pro: `service, services, département, agence, cabinet, clinique, mairie, magasin, boutique, siège, comptable, comptabilité, facturation, accueil, l'accueil, réception, permanence, administration,
      vraie voix, banque, professionnel, pro, l'agence, fille, gars, qui de droit, médecin, docteur, infirmier, infirmière, l'infirmière, avocat, juriste, notaire, l'avocat, pharmacien, dentiste,
      psychologue, kiné, vétérinaire, architecte, plombier, électricien, formateur, professeur, prof, éducateur, assistante sociale, assistant social, élu, maire, adjoint, guide, concierge,
      réparateur, mécanicien, garagiste, monteur, installateur, ingénieur, développeur, informaticien, banquier, assureur, courtier, rédacteur, l'assureur, recruteur, rh, ressources humaines,
      logistique, livraison, transporteur, bureau, guichet, atelier, cuisine, restaurant, hôtel, pilote, logisticien, sage femme, secrétaire médicale, chirurgien, radiologue`,
    solo: `l'accueil, la réception, le standard, le secrétariat, secrétariat, employés, infirmière, infirmier, secrétaire, réceptionniste, technicienne, banquier, pharmacien, gérant, gérante,
      directrice, personne compétente, chef d'agence, chef de rayon, salarié, collaboratrice, collaborateurs, quelqu'un de chez vous, quelqu'un de qualifié, quelqu'un de sérieux, vrai employé,
      conseiller humain, agent humain, contact humain, assistance humaine, aide humaine, avis humain, téléopératrice, conseiller vendeur, conseil humain, un autre que toi, autre chose que toi,
      autre chose qu'un bot, autre chose qu'un robot, contact téléphonique, interlocuteur humain, opérateur humain, responsables, managers, hôtesse, standard téléphonique, gérant du magasin,
      responsable clientèle, responsable client, humain, humaine, humains, l'humain, être humain, êtres humains, vraie personne, vraies personnes, vrai personne, personne réelle, personne physique,
      personne humaine, personne vivante, personne en chair et en os, quelqu'un, quelqun, quelqu un, qqn, qqun, qq1, quelqu'un de réel, quelqu'un d'autre, quelqu'un de vrai, quelqu'un de vivant,
      quelqu'un de compétent, agent, agents, l'agent, conseiller, conseillers, conseillère, conseillères, conseillé, téléconseiller, téléconseillère, opérateur, opératrice, opérateurs, téléopérateur,
      interlocuteur, interlocutrice, collaborateur, représentant, représentante, responsable, manager, superviseur, directeur, direction, chef, patron, boss, supérieur, technicien, collègue, préposé,
      préposée, chargé de clientèle, chargé de compte, service client, service clients, service clientèle, service à la clientèle, service après vente, sav, support technique, support client,
      assistance technique, standard, standardiste, hotline, voix humaine, vraie voix, assistant humain, gestionnaire, vrais gens, conseiller clientèle, conseiller client, employé, employée`,
    solodet: `un, une, le, la, l, des, de, du, votre, vos, ton, tes, un de vos, une de vos, l'un de vos, un autre, une autre, de vrais, de vraies, n'importe quel, mon, au, 1, vite un, vite une, d'un,
      un seul, pas de bot un, à un, à une, avec un, avec une, avec`,
    thing: `clavier, écran, boîte vocale, répondeur, disque, disque enregistré, message enregistré, serveur vocal, programme informatique, machine, machines, ordinateur, l'ordinateur, un ordinateur,
      programme, logiciel, algorithme, un algorithme, mur, boîte de conserve, truc automatique, automatisme, système automatique`,
    want: `je dois, jpeux, jpeu, j peux, je px, jpourrais, serait il envisageable, est il envisageable, envisageable, auriez vous l'amabilité, auriez vous la gentillesse, aurais je l'occasion,
      aurais je une chance, il m'est possible, que faut il faire pour, que faut il taper pour, que dois je faire pour, que dois je taper pour, qui puis je, qui peut on, qui je peux, quand puis je,
      quand est ce que je peux, à quelle heure puis je, jaimerai, jsouhaite, je souhaitais, on souhaite, on souhaiterait, mon souhait est, c'est pour, envie, je n'arrive toujours pas, pas moyen,
      aucun moyen, je galère, j'essaie depuis, je voudrais bien, j'aimerais bien, je veux juste, j'ai vraiment besoin, ma mère voudrait, mon père voudrait, ma mère veut, ma mère souhaite,
      mon mari souhaite, mon mari voudrait, ma femme voudrait, elle voudrait, il voudrait, elle souhaite, il souhaite, permettez moi, accepteriez vous, j'aurais aimé, ça serait possible,
      serait possible, vous est il possible, aurais je la possibilité, comment je, comment faire, comment on, où je peux, où peut on, j'ai essayé, je cherche quelqu'un, comment fait on, j'ai du mal,
      il faut absolument, j'attends, je souhaite vraiment, je veux bien, on aimerait, puis j, puije, est ce que je pourrai, est ce possible, moyen, je veux, jveux, je veut, je veu, j veux,
      je voudrais, jvoudrais, je voudrai, je voulais, je souhaite, je souhaiterais, je souhaiterai, je désire, je désirerais, j'aimerais, j'aimerai, j aimerais, j aimerai, je préfère, je préférerais,
      je préfèrerais, je préférerai, j'exige, je demande, je réclame, il me faut, il me faudrait, il faut que je, faut que je, j'ai besoin, j ai besoin, j'aurais besoin, j'aurai besoin, besoin,
      on veut, on voudrait, nous voulons, nous voudrions, nous souhaitons, nous aimerions, nous souhaiterions, nous avons besoin, je cherche, j'essaie, j'essaye, je tente, je n'arrive pas,
      j'arrive pas, j'arrive jamais, je n'arrive jamais, impossible, je tiens, puis je, je peux, je peut, je pourrais, je pourrai, pourrais je, peut on, on peut, pourrait on, pouvons nous,
      est il possible, c'est possible, serait il possible, serait ce possible, ce serait possible, il est possible, il serait possible, possible, y a t il moyen, y a moyen, ya moyen, il y a moyen,
      y a t il un moyen, il y a un moyen, y a t il une possibilité, comment, comment faire pour, comment fait on pour, comment puis je, comment je peux, comment je fais pour, comment on fait pour,
      comment peut on, comment pourrais je, où puis je, veux, veut, voudrais, voudrait, aimerais, aimerait, souhaite, souhaiterais, souhaiterait, laissez moi, laisse moi, j'aurais voulu,
      j'aurais souhaité, j'insiste pour, que je puisse, je vous demande, je te demande, je compte`,
    adv: `à nouveau, de nouveau, l'amabilité de, la gentillesse de, l'occasion de, la chance de, le plaisir, urgent, très vite, vite fait, fait, à, moyen, toujours, le plus rapidement possible,
      au plus tôt, sans attendre, sans délai, personnellement, moi même, en privé, dorénavant, une bonne fois, uniquement, en vrai, d'abord, être, d'être, à être, j'ai, je, me faire, faire, à pouvoir,
      tenter de, essayer de, bien vouloir, si possible, par téléphone, au téléphone, plus, autant, me, de, d', pour, pouvoir, de pouvoir, que, juste, bien, vraiment, absolument, plutôt, maintenant,
      immédiatement, tout de suite, simplement, seulement, enfin, directement, svp, stp, s'il vous plaît, s'il te plaît, urgemment, rapidement, d'urgence, encore, aussi, donc, mieux, vite,
      au plus vite, avoir la possibilité de, la possibilité de, là, réellement, impérativement, obligatoirement, quand même, moi, un jour, en urgence, dès que possible, le plus vite possible,
      désormais, aujourd'hui, juste à, juste de, juste que, finalement, moyen de, un moyen de, le droit de`,
    talk: `jaser, placoter, papoter, tchatcher, reparler, rediscuter, m'ouvrir, me confier, avoir un mot, toucher un mot, dire deux mots, échanger quelques mots, avoir une voix, en lien, interagir,
      reprendre contact, prendre rendez vous par téléphone, poursuivre la conversation, continuer la conversation, poursuivre cette conversation, continuer cette conversation,
      reprendre la conversation, poursuivre la discussion, continuer la discussion, continuer, poursuivre, parlementer, m'entendre, faire un point, faire une visio, faire un appel, une visio,
      un appel vidéo, un appel visio, une conversation, une discussion, un entretien, un rdv téléphonique, rdv téléphonique, rendez vous téléphonique, rendez vous en visio, un contact direct,
      voir ça de vive voix, résoudre ça, résoudre cela, traiter ça, régler cette affaire, arranger ça, m'arranger, confier ça, confier cela, confier mon dossier, parler, discuter, dialoguer,
      communiquer, converser, tchatter, chatter, tchater, chater, m'entretenir, nous entretenir, d'entretenir, causer, bavarder, correspondre, m'expliquer, avoir affaire, avoir à faire,
      d'avoir affaire, avoir une conversation, avoir une discussion, avoir un échange, avoir un contact, d'avoir une conversation, entrer en contact, rentrer en contact, d'entrer en contact,
      entrer en relation, entrer en communication, prendre contact, rester en contact, me mettre en contact, me mettre en relation, mis en relation, mise en relation, mis en contact, mise en contact,
      mis en communication, mise en communication, mis en ligne, mise en ligne, mettre en contact, mettre en relation, en contact, en relation, en communication, en parler, en discuter, en causer,
      parler directement, parler de vive voix, discuter directement, me tourner, parlez, parlons, me plaindre, expliquer ça, expliquer cela, l'expliquer, expliquer ma situation,
      expliquer mon problème, expliquer mon cas, exposer mon problème, exposer mon cas, poser ma question, poser mes questions, régler ça, régler cela, régler mon problème, voir ça, voir cela,
      voir directement, demander conseil, demander de l'aide, demander à parler, faire le point, négocier`,
    how: `de vive voix, en tête à tête, entre quatre yeux, en privé, en chair et en os, face caméra, en visioconférence, en face à face, par écrit, 5 minutes, cinq minutes, quelques minutes,
      une minute, de ce problème, de cette histoire, de tout ça, d'homme à homme, quelque part, dès que possible, le plus vite possible, demain, ce matin, cet après midi, ce soir, lundi,
      pour une fois, en vrai, d'urgence svp, à ce sujet, de mon prêt, de mon sinistre, personnellement, de vive voix svp, à voix haute, oralement, à l'oral, verbalement, de ma situation, de mon cas,
      de mon contrat, de ma facture, sérieusement, humainement, tranquillement, deux minutes, 2 minutes, un moment, un instant, concrètement, face à face, par mail, par email, ensemble,
      s'il vous plait, ici, moi, absolument, autrement, obligatoirement, directement, en direct, en live, live, maintenant, svp, stp, s'il vous plaît, s'il te plaît, par téléphone, au téléphone,
      par tel, au tel, en ligne, par chat, de ça, de cela, plutôt, vraiment, immédiatement, rapidement, tout de suite, urgemment, d'urgence, en personne, de mon problème, de mon dossier,
      de ma commande, juste, enfin, simplement, vite, au plus vite, en urgence, uniquement, seulement, en français, en visio, aujourd'hui, de nouveau, à nouveau`,
    prep: `avec l'un, à quelqu, auprès d, auprès du, après, à, a, avec, au, aux, vers, par, chez, auprès, auprès de, de, du, d', sur, face à, en direct avec, directement avec, directement à,
      directement au, à l, ac, av`,
    det: `la même, le même, les mêmes, même, quelconque, une quelconque, un quelconque, un certain, une certaine, cette même, chaque, un ou deux, deux, plusieurs, quelques, un bon, une bonne, au,
      à la, à l, à mon, à votre, avec mon, avec votre, le, mes, n'importe, aux, dun de vos, dune de vos, l'un ou l'autre de vos, un membre de, l'un de tes, une personne ou, leur, son, notre, nos,
      tous, à un, à une, pas un, pas une, au moins un, au moins une, un foutu, un putain de, un p'tit, un, une, 1, la, les, l, des, de, du, d, dun, dune, quun, quune, votre, vos, ton, tes, un de vos,
      une de vos, l'un de vos, l'une de vos, un de tes, un des, l'un des, ce, cet, cette, mon, ma, un autre, une autre, d'autres, n'importe quel, n'importe quelle, un seul, une seule, quelque,
      de vrais, de vraies, un ou une, un e, de votre, de vos`,
    pre: `même, jeune, charmante, charmant, vieux, brave, gentils, responsables, réel, réelle, gentil, gentille, propre, humain, humaine, nouveau, nouvelle, authentique, vrai, vraie, vrais, vraies,
      véritable, véritables, autre, autres, seul, seule, bon, bonne, simple, putain de, être`,
    who: `madame, mme, mr, monsieur, mlle, docteur, dr, demoiselle, employés, salariés, personne en charge, personne qui gère, personne qui s'occupe, personne responsable, celui qui gère,
      celle qui gère, celui qui s'occupe, celle qui s'occupe, ceux qui gèrent, service fraude, antifraude, l'antifraude, hôtesse, courtier, courtière, banquière, conseil humain, avis humain,
      pharmacienne, expert comptable, mécanicien, dépanneur, avocat, réparateur, guichetière, technico commercial, chef d'agence, chef de rayon, chef de service, chef de projet, être de chair,
      être de chair et d'os, qui de droit, service juridique, ressources humaines, rh, consultant, consultante, juriste, ingénieur, développeur, banquier, guichetier, chargée de compte,
      chargée de dossier, gens réels, autre humain, humain réel, vrai gens, quelqu'un d'autre, quelqu'un de compétent, référent, référente, instructeur, coordinateur, coordinatrice, porte parole,
      humin, humian, conseillier, conseiler, ton boss, boss, ton chef, ton patron, hiérarchie, répondant, service des réclamations, service contentieux, service litiges, service des ventes,
      service voyageurs, service recouvrement, service informatique, service comptable, pharmacien, infirmière, infirmier, assistante sociale, humain, humaine, humains, l'humain, d'humain,
      être humain, l'être humain, êtres humains, d'être humain, personne, personnes, quelqu'un, quelqun, quelcun, quelqu un, quelqu'une, qqn, qqun, qq1, qlq1, qlqn, qqu'un, kelkun, agent, agents,
      l'agent, d'agent, conseiller, conseillers, conseillère, conseillères, conseillé, téléconseiller, téléconseillère, opérateur, opérateurs, opératrice, l'opérateur, d'opérateur, téléopérateur,
      téléopératrice, interlocuteur, interlocutrice, l'interlocuteur, d'interlocuteur, collaborateur, collaborateurs, collaboratrice, employé, employée, l'employé, d'employé, représentant,
      représentante, représentants, responsable, responsables, manager, managers, manageur, gérant, gérante, gestionnaire, superviseur, superviseure, directeur, directrice, direction, chef, patron,
      patronne, supérieur, supérieure, technicien, technicienne, commercial, commerciale, commerciaux, vendeur, vendeuse, collègue, collègues, expert, experte, l'expert, spécialiste, préposé,
      préposée, chargé de clientèle, chargée de clientèle, chargé de compte, chargé clientèle, service client, service clients, service clientèle, service à la clientèle, service après vente, sav,
      service commercial, service technique, service réclamation, service réclamations, service facturation, service concerné, service compétent, service comptabilité, bon service, support,
      support client, support technique, assistance, l'assistance, équipe, équipes, l'équipe, membre de votre équipe, membre de l'équipe, membre du personnel, membre de ton équipe, membre, membres,
      personnel, standard, standardiste, hotline, helpdesk, secrétaire, secrétariat, réceptionniste, assistant humain, assistante humaine, gens, homme, femme, dame, mec, salarié, salariée,
      correspondant, individu, relation client, relation clients, relations clients, call center, centre d'appel, centre d'appels, service consommateur, service consommateurs, voix humaine,
      chargé de relation, chargé de dossier`,
    agent: `conseillère, conseillers, opérateurs, agents, gérant, direction, directrice, responsables, commercial, consultant, téléopérateur, standardiste, supérieure, boss, patron,
      personne du service, personne de chez vous, personne de votre équipe, référent, service commercial, service facturation, service réclamation, service réclamations, service comptabilité,
      humain réel, vrais gens, humain, humaine, humains, être humain, vraie personne, personne réelle, personne physique, personne humaine, personne compétente, quelqu'un de réel,
      quelqu'un de compétent, agent, l'agent, d'agent, conseiller, conseillé, téléconseiller, téléconseillère, opérateur, opératrice, l'opérateur, d'opérateur, interlocuteur, interlocutrice,
      l'interlocuteur, d'interlocuteur, collaborateur, collaboratrice, employé, employée, représentant, représentante, responsable, manager, superviseur, directeur, chef, supérieur, technicien,
      collègue, collègues, préposé, préposée, chargé de clientèle, chargé de compte, service client, service clients, service clientèle, service à la clientèle, service après vente, sav,
      service technique, service concerné, service compétent, support, support technique, standard, hotline, gestionnaire, spécialiste, expert`,
    sure: `employés, salarié, salariée, employé, employée, collaboratrice, collaborateurs, directrice, gérant, gérante, supérieur hiérarchique, supérieure, interlocuteurs, dame, vrai employé,
      avis humain, regard humain, conseil humain, vraie voix, oreille humaine, membre de votre équipe, membre de l'équipe, membre du personnel, technico commercial, chargé de clientèle,
      chargée de clientèle, chargé de compte, le support, l'assistance, votre support, support client, support technique, gens qui répondent, gens compétents, interlocuteur compétent,
      personne du service, personne à qui, personne avec qui, personne tout de suite, personne maintenant, personne immédiatement, personne svp, personne s'il vous plaît, personne rapidement,
      personne d'urgence, standard, conseillier, conseiler, téléopérateur, collègue, humin, vrai gens, quelqu'un d'autre, agents, opérateurs, personne de chez vous, personne de votre équipe,
      personne de l'équipe, personne de confiance, personne qui puisse, personne qui pourrait, personne qui peut, personne qui comprend, personne et pas, personne pas un, personne normale,
      personne en ligne, personne en direct, personne en vrai, échange téléphonique, entretien téléphonique, entretien humain, vrai service client, chef, boss, directeur, appel téléphonique,
      représentants, être vivant, humain, humaine, humains, l'humain, d'humain, être humain, êtres humains, quelqu'un, quelqu un, qqn, qqun, qq1, vraie personne, vraies personnes, vrai personne,
      véritable personne, personne réelle, personne physique, personne humaine, personne vivante, personne en chair, personne compétente, personne au téléphone, personne qualifiée,
      personne à qui parler, personne avec qui parler, personne pour m'aider, personne pour me répondre, agent, d'agent, l'agent, conseiller, conseillers, conseillère, conseillé, téléconseiller,
      téléconseillère, opérateur, opératrice, d'opérateur, l'opérateur, interlocuteur, d'interlocuteur, interlocutrice, représentant, représentante, préposé, préposée, superviseur, vrais gens,
      collaborateur, service client, service clients, service clientèle, service à la clientèle, standardiste, voix humaine, support humain, assistance humaine, aide humaine, assistant humain,
      contact humain, contact téléphonique, interaction humaine, réponse humaine, intervention humaine, rappel téléphonique, responsable, manager, supérieur`,
    human: `avis humain, regard humain, jugement humain, conseil humain, oreille humaine, vrai employé, vraie employée, vrais employés, vraie dame, employé humain, vrai banquier, vrai vendeur,
      vrai médecin, vraie secrétaire, vrai standard, vrai numéro, gens réels, gens en chair, vrais gens, interlocuteur réel, opérateur réel, opératrice réelle, standard humain, accueil humain,
      relation humaine, interaction humaine, quelqu'un de vivant, quelqu'un de compétent, quelqu'un de qualifié, quelqu'un d'intelligent, quelqu'un de normal, personne compétente,
      personne en chair et en os, interlocuteur compétent, technicien humain, vendeur humain, médecin humain, secrétaire humaine, vrai service client, vrai support, vrai service, vraie conseillere,
      vrais conseillers, vrais humains, vrais agents, vraie opératrice, vraie équipe, personne vivante, personne en vrai, être vivant, vrai représentant, vrai responsable, véritable interlocuteur,
      véritable agent, véritable être humain, assistance humaine, aide humaine, réponse humaine, service humain, service client humain, support humain, présence humaine, personnes réelles,
      quelqu'un en vrai, quelqu'un en chair, quelqu'un en direct, agent réel, conseillère humaine, vrai technicien, humain véritable, humain, humaine, humains, d'humain, être humain, êtres humains,
      vraie personne, vraies personnes, vrai personne, véritable personne, personne réelle, personne physique, personne humaine, personne en chair, quelqu'un de réel, quelqu'un d'humain,
      quelqu'un de vrai, vrai conseiller, vrai agent, vraie conseillère, vrai interlocuteur, vrai opérateur, véritable conseiller, conseiller humain, conseillers humains, agent humain,
      opérateur humain, interlocuteur humain, contact humain, vrai humain, véritable humain, vrai être humain, vraies gens, humain réel, conseiller réel, vrai collaborateur, voix humaine`,
    desk: `service client, service clients, service clientèle, service à la clientèle, service après vente, sav, service commercial, service technique, support, support client, support technique,
      assistance, l'assistance, standard, hotline, humain, être humain, conseiller, conseillers, conseillère, conseillé, agent, téléconseiller, opérateur, opératrice, interlocuteur, responsable,
      équipe, équipes, l'équipe, service concerné, vraie personne, collaborateur, représentant, préposé`,
    post: `de magasin, du magasin, d'agence, de l'agence, de rayon, de service, d'astreinte, de garde, de permanence, que toi, que vous, qu'un robot, qu'un bot, qu'une machine, que ce bot,
      que ce robot, de la mairie, de l'hôtel, de l'école, du restaurant, du garage, du bureau, du siège, en visio, pour discuter, pour parler, pour échanger, pour en parler, vite vite, et c'est tout,
      et plus vite que ça, bilingue, anglophone, expérimenté, de confiance, obligatoire, sinon je pars, tout court, à la place, à ta place, à votre place, pas toi, et pas toi, et pas vous, pas d'ia,
      et pas une ia, pas une ia, pas de bot, pas de robot, et pas de robot, du service commercial, du service juridique, de votre société, please, pls, au bout du fil, en vrai, derrière, chez vous,
      de l'équipe, de l'entreprise, de la boîte, de la société, de la clinique, de la banque, du cabinet, de vos services, des ventes, de la facturation, de la comptabilité, qui m'écoute, qui réponde,
      qui me réponde, qui comprenne, qui me comprenne, qui s'y connaît, svp merci, ou bien, aujourd'hui, s v p, au plus vite, rapidement, d'urgence, dès que possible, seulement, uniquement, français,
      française, francophone, par pitié, je vous prie, je vous en prie, sans robot, sans bot, direct, ce serait possible, serait possible, demandé, demandée, requis, exigé, 1 seul, non virtuel,
      humain, humaine, humains, réel, réelle, réels, physique, vivant, vivante, en chair et en os, en chair et os, de chair et d'os, de chair et de sang, en ligne, au téléphone, par téléphone, au tel,
      compétent, compétente, compétents, disponible, dispo, de réel, de vrai, de vivant, de compétent, d'humain, d'autre, de qualifié, qualifié, qualifiée, d'intelligent, en direct, en live, live,
      en personne, de chez vous, de votre équipe, de votre service, du service client, du service clients, du service clientèle, du service technique, du support, du sav, client, clients, clientèle,
      clientele, commercial, technique, svp, stp, s'il vous plaît, s'il te plaît, maintenant, vite, tout de suite, immédiatement, plutôt, et pas un robot, pas un robot, pas une machine, pas un bot,
      et pas une machine, et pas un bot, et non un robot, et non une machine, pas un chatbot, et vite, qui comprend, qui peut m'aider, qui puisse m'aider, pour m'aider, pour me répondre, merci,
      urgent, c'est urgent, c'est possible, c'est possible ou pas, est ce possible, est ce que c'est possible, possible, du coup, normal, normale, sérieux, à qui parler, avec qui parler, urgence,
      et rien d'autre, obligatoirement, enfin, quelque part, ici`,
    can: `auriez vous l'amabilité de, auriez vous la gentillesse de, ayez l'amabilité de, auriez vous l'obligeance de, seriez vous disposé à, serait il envisageable de,
      serait il envisageable que vous, pouvez vous faire, pourriez vous faire, dites à quelqu'un de, quand pouvez vous, quand pourriez vous, quand pourrez vous, vous pourrez, pourrez vous, tu pourras,
      ils pourraient, on pourrait, quelqu'un devrait, quelqu'un doit, directeur de, responsable de, chef de, manager de, patron de, collègue de, conseiller de, technicien de, secrétaire de,
      quelqu'un de, pouvez, pouriez vous, pourriez, pouvez vous svp, pouvez vous demander à quelqu'un de, pourriez vous demander à quelqu'un de, serait ce possible de, un conseiller peut,
      un conseiller peut il, un conseiller pourrait, un conseiller pourrait il, un agent peut, un agent peut il, un humain peut, quelqu'un va, quelqu'un de chez vous peut,
      quelqu'un de chez vous pourrait, quelqu'un de votre équipe peut, quelqu'un de votre équipe pourrait, quelqu'un du service peut, quelqu'un du service client peut,
      quelqu'un du service client pourrait, une personne peut, une personne pourrait, une personne peut elle, une personne pourrait elle, il est possible de, ce serait possible de, serait possible de,
      essayez de, essaie de, vous pouvez svp, n'hésitez pas à, préfère que vous, voudrais que vous, aimerais que vous, veux que vous, souhaite que vous, veux que tu, aimerais qu'on, voudrais qu'on,
      veux qu'on, souhaite qu'on, souhaiterais qu'on, pouvez vous, peux tu, pourriez vous, pourrais tu, vous pouvez, tu peux, vous pourriez, tu pourrais, est ce que vous pouvez, est ce que tu peux,
      est ce que vous pourriez, merci de, merci de bien vouloir, veuillez, veuillez bien, prière de, possible de, est il possible de, serait il possible de, c'est possible de, il faut, faut,
      voulez vous, veux tu, voudriez vous, pourrait on, peut on, on peut, est ce qu'on peut, est ce qu'on pourrait, quelqu'un peut, quelqu'un pourrait, quelqu'un peut il, quelqu'un pourrait il,
      qqn peut, qqn pourrait, je vous demande de, je vous prie de, je vous invite à, il faudrait, vous devez, tu dois, attends que vous, attends qu'on, demandez à, demander à, demande à, dites à,
      dis à, faites, fais`,
    callback: `me sonner, me retéléphoner, me bipper, me rejoindre au, retourner mon appel, me faire signe, revenir vers moi, reprendre contact avec moi, reprenne contact avec moi, revienne vers moi,
      me donner un coup de téléphone, me donner un coup de tel, me passer un petit coup de fil, m'appeler moi, me retourner mon appel, recontacter ma mère, rappeler ma mère, contacter ma mère,
      appeler ma mère, la rappeler, le rappeler, entrer en contact avec moi, se mettre en relation avec moi, me répondre par téléphone, me répondre au téléphone, me recevoir en rendez vous,
      me re contacter, me ré appeler, m'apeler, me raplé, me rapeler, me rapeller, me rappeller, me rappeler au, m'appelez, m'appeliez, me fasse rappeler, me bigophoner, me biper,
      me passe un coup de fil, me passer un coup de tel, me joigne, nous rappelle, nous téléphoner, nous joindre, me téléphonez, me contactez, me recontactez, me rappelez, me rappel, m'appel,
      me rappeler, me rappellent, me recontacter, m'appeler, m appeler, me téléphoner, me contacter, me joindre, me passer un coup de fil, me passer un appel, me passer un coup de téléphone,
      m'appeler au téléphone, nous rappeler, nous recontacter, nous contacter, nous appeler, me faire rappeler, me faire appeler, me faire contacter, me donner un coup de fil, m'appelle, me rappelle,
      me contacte, me recontacte, me téléphone, me rappeliez, me contactiez, me recontactiez, prendre contact avec moi, prenne contact avec moi, se mettre en contact avec moi,
      vous mettre en contact avec moi`,
    callme: `joignez moi, rappelez moi, passe moi un coup de fil, donnez moi un coup de fil, donnez moi un appel, callez moi, rappel moi, appel moi, fais moi rappeler, faites nous rappeler,
      qu'on m'appelle, qu'on me rappelle, qu'on me contacte, qu'on me recontacte, recontactez nous, rappelez nous, rappelle moi, rappeler moi, appelez moi, appelle moi, appeler moi, recontactez moi,
      recontacte moi, contactez moi, contacte moi, téléphonez moi, téléphone moi, passez moi un coup de fil, faites moi rappeler, faites moi appeler, faites moi contacter, prenez contact avec moi,
      rapellez moi, rapelez moi, rappellez moi`,
    called: `joindre, rejoint, rejointe, recontactés, contactés, appelés, retéléphoné, sonné, rappelé, rappelée, rappeler, rappelés, recontacté, recontactée, recontacter, contacté, contactée,
      contacter, appelé, appelée, appeler, joint, jointe`,
    give: `me brancher, me faire passer, faites moi passer, confiez moi, me repasser, repassez moi, repasse moi, nous diriger, nous rediriger, nous orienter, me switcher, switchez moi, switch moi,
      me reconnecter avec, m'envoyer vers, me référer à, réferez moi à, rebasculez moi, me raccorder, aiguille moi, balance moi, me mettez, connecter moi, m'orientez, m'aiguillez, me redirigiez,
      me transfériez, me passiez, passez moi, passe moi, passer moi, passez nous, me passer, me passez, me passe, nous passer, transférez moi, transfère moi, transférer moi, me transférer,
      me transfère, me transférez, nous transférer, transférez nous, connectez moi, connecte moi, redirigez moi, redirige moi, rediriger moi, me rediriger, me redirigez, me redirige, dirigez moi,
      dirige moi, me diriger, orientez moi, oriente moi, m'orienter, basculez moi, bascule moi, me basculer, renvoyez moi, renvoie moi, me renvoyer, aiguillez moi, m'aiguiller, branchez moi,
      branche moi, relayez moi, reliez moi, adressez moi, me relier, mettez moi, mets moi, me mettre, mettre moi, faites moi parler, fais moi parler, me faire parler, envoyez moi vers,
      envoie moi vers, me laisser parler, laissez moi parler, laisse moi parler, me connecter avec, mettez nous`,
    hand: `faites moi venir, fais moi venir, allez le chercher, aller le chercher, aller chercher, aller me chercher, appeler, déranger, réveillez, réveille, ramenez, ramène, sortez, sors moi,
      mobilisez, mettez en ligne, mets en ligne, mettre en ligne, je réclame, vite, apportez moi, trouvez, remettez moi, branchez moi, donnez moi, donne moi, me donner, filez moi, file moi,
      trouvez moi, trouve moi, me trouver, appelez moi, appelle moi, envoyez moi, envoie moi, amenez moi, amène moi, ramenez moi, faites venir, fais venir, faites intervenir, allez chercher,
      va chercher, va me chercher, allez me chercher, appelez, appelle, contactez, mettez, rendez moi, demandez, prévenez, alertez, ramène moi, cherchez moi, passez, passe`,
    link: `mettre en relation, mettre en contact, mettre en communication, mettre en liaison, mettre en lien, mis en relation, mise en relation, mis en contact, mise en contact, mis en communication,
      mise en communication, mises en relation, mettez moi en relation, mettez moi en contact, mettez moi en communication, mettez moi en ligne, mets moi en relation, mets moi en contact,
      mets moi en communication, mettez moi en lien, mette en relation, mette en contact, mettez en relation, mettez en contact, mets en relation, mets en contact, met en relation, met en contact,
      mettiez en relation, mettez nous en relation, mettez nous en contact, entrer en contact, rentrer en contact, entrer en relation, entrer en communication, en relation, prendre contact, en ligne,
      en communication, connecter, connectez moi, connecte moi, transfert, transférer, redirection, transféré, transférée, redirigé, redirigée, mise en ligne, passer en ligne, basculer, escalade`,
    is: `reste t il, il reste, il ne reste, n'y aurait il pas, c'est possible d'avoir, il n'y a donc plus, il n'y a plus, y a plus, n'y a t il plus, n'y a t il vraiment, il n'y a vraiment,
      y a vraiment pas, vous avez encore, avez vous encore, vous n'avez plus, disposez vous, auriez vous sous la main, vous avez bien, il y a forcément, y a forcément, y a bien, il doit y avoir,
      il y a sûrement, y a sûrement, peut on trouver, trouve t on, est ce qu'on peut avoir, connaissez vous, t'as pas, tu as pas, tu n'as pas, vous avez pas, vous n'avez pas, n'auriez vous pas,
      y a t'il, y a til pas, y a t il pas, il y aurait il, existe il, ça existe, il y a bien, y a personne, il n'y a personne, y aurait, y a t il encore, il y a encore, y a encore, vous auriez pas,
      est ce que vous auriez, avez vous au moins, vous avez au moins, ya pas, ya personne, est ce qu il y a, puis je trouver, où trouver, où est, où sont, y a t il, y a til, y at il, y a il, il y a,
      il y a t il, ya t il, ya til, y a, ya, il ya, est ce qu'il y a, est ce qu'il ya, est ce que il y a, n'y a t il pas, n'y a t il, il n'y a pas, il n'y a, y a pas, y'a pas, y'a, y'a t il,
      il y a pas, vous avez, avez vous, auriez vous, vous auriez, est ce que vous avez, existe t il, il existe, y aurait il, y aurait t il, il y aurait, y'aurait il, n'avez vous pas, t'as, tu as,
      as tu, il n'y a donc, y a t il au moins, il y a au moins, y a vraiment`,
    avail: `qui travaille, qui travaillent, qui bosse, qui bossent, qui répondent, qui décroche, qui décrochent, dans votre boîte, dans cette boite, chez vous, à l'autre bout, de l'autre côté,
      qui lit, qui me lit, qui m'écoute, qui m'aide, pour me rappeler, pour m'appeler, pour me guider, pour m'expliquer, à mon écoute, dispo pour, disponible pour, présent, présente, présents,
      de présent, connectés, en poste, de garde, d'astreinte, de permanence, et pas un, plutôt qu'un, au lieu d'un, autre que, derrière ce chat qui, de libre, libre, de joignable, maintenant,
      en ce moment, qui réponde, qui me réponde, qui gère, pour prendre le relais, pour parler, pour discuter, qui parle, qui comprenne, qui pourrais, qui peux, pour gérer, sous la main,
      dans votre équipe, dans l'équipe, de sérieux, de normal, d'intelligent, qui s'y connaît, susceptible, svp, s'il vous plaît, à l'écoute, au bout, en direct, en live, derrière pour, disponible,
      disponibles, dispo, de disponible, de dispo, en ligne, connecté, connectée, de connecté, à qui, a qui, avec qui, qui peut, qui puisse, qui pourrait, qui va, qui sait, qui répond, qui comprend,
      qui pourra, que je peux, que je puisse, que je pourrais, pour m'aider, pour me répondre, pour répondre, pour m'assister, pour me renseigner, pour me parler, au bout du fil, joignable,
      joignables, de réel, de réelle, d'humain, de vrai, de vivant, de compétent, de compétente, capable, en chair, au téléphone, à contacter, à joindre, à appeler, par téléphone, de chez vous,
      dans cette boîte, dans cette entreprise, pour prendre, qu'on peut, qu'on puisse`,
    act: `y jeter un œil, y jeter un oeil, jeter un œil, jeter un oeil, y regarder, discuter, parler, échanger, papoter, reprendre la conversation, reprendre mon dossier, reprendre le dossier,
      prendre ma demande, me lire, lire, me sonner, m'accompagner, me guider, m'expliquer, m'écouter, venir me parler, entrer en contact, étudier mon dossier, étudier mon cas, examiner, se pencher,
      me débloquer, débloquer, me sauver, m'orienter, me recevoir, voir mon dossier, voir ça, prendre connaissance, se connecter, venir discuter, faire quelque chose, me rejoindre, revenir vers moi,
      prendre le temps, jaser, m'aider, m aider, me rappeler, m'appeler, me contacter, me recontacter, me répondre, répondre, m'assister, prendre le relais, prendre la relève, me parler,
      me renseigner, prendre contact, reprendre, s'en occuper, s'occuper, intervenir, me téléphoner, me joindre, me conseiller, me prendre en charge, prendre en charge, prendre mon dossier, traiter,
      regarder, me venir en aide, venir m'aider, venir en aide, m'écrire, prendre la main, me servir, vérifier, gérer, nous aider, nous répondre, nous appeler, nous rappeler, me dépanner`,
    acts: `me téléphone, me sonne, me rejoigne, y jette un œil, y jette un oeil, jette un œil, jette un oeil, étudie mon dossier, étudie mon cas, examine mon dossier, examine mon cas, reprenne,
      prenne la suite, prenne mon appel, prenne mon dossier, revienne vers moi, entre en contact, s'y penche, se penche, me dépanne, me conseille, m'accompagne, me guide, me rassure,
      me donne une réponse, me débloque, réponde à mes questions, me lise, s'occupe de ça, s'occupe de mon dossier, s'occupe de mon cas, se charge, décroche, me fasse signe, voie mon dossier,
      regarde mon cas, m'entende, nous téléphone, rappelle ma mère, appelle ma mère, prenne le temps, intervienne, se manifeste, me réexplique, s'occupe de moi, s'occupe de mon, prenne le relais,
      prenne en charge, prenne contact, reprenne la main, reprenne mon dossier, vienne m'aider, puisse m'aider, puisse me répondre, puisse me rappeler, puisse m'appeler, puisse me renseigner,
      puisse me parler, puisse me contacter, regarde mon dossier, regarde ça, traite mon dossier, traite ma demande, vérifie mon dossier, m'explique, gère mon dossier, gère ça, lise mon message,
      réponde à ma place, me répond, me réponde, me rappelle, m'appelle, me contacte, me recontacte, s'en occupe, m'aide, me parle, me prenne, m'assiste, m'écrive, me renseigne, m'écoute,
      nous rappelle, nous contacte, nous réponde`,
    bot: `faq, chat automatique, tchat automatique, serveur vocal, robot conversationnel, agent conversationnel, assistant numérique, algorithme, algorithmes, l'algorithme, messages préenregistrés,
      message préenregistré, réponses bidons, réponses automatiques à la con, copiés collés, réponses copiées collées, réponses standard, réponses standards, réponses types, robot, robots, bot, bots,
      chatbot, chatbots, chat bot, tchatbot, ia, l'ia, intelligence artificielle, l'intelligence artificielle, d'intelligence artificielle, d'ia, automate, automates, l'automate, assistant virtuel,
      assistante virtuelle, l'assistant virtuel, d'assistant virtuel, assistant automatique, réponses automatiques, réponse automatique, message automatique, messages automatiques,
      réponses automatisées, réponses toutes faites, réponses préenregistrées, réponses préprogrammées, réponses robotisées, réponses de robot, robo, robos, tas de ferraille, répondeur automatique,
      boîte vocale, agent virtuel, conseiller virtuel, chatgpt`,
    nobot: `plutôt que, plutôt qu'un, plutôt qu'avec un, plutôt qu'à un, marre, ras le bol, ral le bol, plein le dos, plein le cul, saoulé, saoulée, soulé, saoule, saoulent, refuse, déteste, aime pas,
      aime plus, supporte pas, supporte plus, en peux plus, n'en peux plus, hors de question, assez, au lieu, fatigué, fatiguée, lassé, lassée, horreur, envie pas, veux pas, veux plus, veut pas,
      souhaite pas, souhaite plus, confiance pas, sert à rien`,
    botvia: `mon ticket à, que des, qu'à des, avec ces, à ces, à tous ces, avec tous ces, par des, par un, par une, à vos, de tes, vos stupides, ces stupides, foutus, d'écrire à, d'écrire, de taper,
      confiance à, confiance en, de me confier à, me confier à, expliquer à, d'expliquer à, raconter à, de raconter à, faire confiance à, à, de, d', que, qu', parler, de parler, discuter, de discuter,
      à parler, être, affaire, avoir affaire, avoir à faire, envie, envie de parler, envie de discuter, besoin, communiquer, échanger, dialoguer, avec, vouloir, par, aux, aidé, aidée, m'adresser,
      tourner en rond avec, écrire, de répondre, répondre, traiter, perdre mon temps, confiance, ces, les, vos, votre, ce, cette, des, le, la, un, une, dun, dune, quun, quune, du, au, ton, tes, à un,
      à une, avec un, avec une, avec le, avec ce, avec la, avec cette, avec des, avec les, avec vos, avec votre, à des, à ce, à cette, à votre, de ce, de cette, de ces, de vos, de votre, stupide,
      stupides, idiot, débile, pauvre, simple, putain de, foutu, satané, sale, juste, bête`,
    guard: `argent, valeur, valeurs, monteur, ordures, personnel, personnels, perle, export, exports, experts, supports, conseillez, conseilles, contacts, contrat, contrats, hotte, canne, corne,
      conte, chien, chiens, piste, crêpe, crêpes, botte, bottes, bonnet, carte, cartes, compte, comptes, comptoir, montre, mettre, maître, porte, portes, parier, parler, partir, terre, casse, caisse,
      classe, chaise, service, agence, agences, agenda, client, clients, cliente, vente, ventes, vendre, livre, livres, livrer, demain, retour, retours, commande, commandes, commander, prendre,
      attendre, rendre, annulée, payer, marque, avion, demande, demander, délai, délais, devis, envoi, voiture, offre, offres, coffre, cadre, poulet, tester, rester`,
    tk: `c, c'était, ce fut, très bien, bien expliqué, bien fait, expliqué, expliquée, comprends, comprend, mieux, l'aide précieuse, super bien, a fonctionné, fonctionné, marché, a marché,
      ça a marché, répondre, m'avoir répondu, d'être, là, pro, agréable, plaisir, appréciée, apprécié, apprécie, j'apprécie, beaucoup apprécié, attention, soutien, écoute, l'écoute, prompte,
      votre retour, lien, l'astuce, astuce, tuyau, tout seul, enfin, grâce, grâce à vous, grâce à toi, c'est fait, fait, parfait parfait, merci merci, je note, note, prends note, je prends note, vais,
      je vais, essayer, faire, regarder, voir, ça, comme ça, du premier coup, premier, coup, impressionnant, impressionnée, impressionné, bluffé, rien à dire, rien à redire, quoi, hâte, sauvée, chers,
      chef, ami, mon ami, l'ami, les gars, vrai, vraie, belle, beau, bel, bonheur, béni, soit, dieu, que dieu, vous bénisse, te bénisse, bises, 🌞, 💕, 😎, 😆, 😌, 💐, ok, oki, okay, d'accord, dac, dacc,
      super, parfait, parfaite, parfaitement, génial, géniale, nickel, impeccable, impec, top, au top, cool, excellent, excellente, formidable, très, tres, trop, vraiment, beaucoup, bcp, bien, mille,
      milles, 1000, fois, grand, grande, un, une, infiniment, énormément, sincèrement, pour, de, du, d, dun, des, votre, vos, ton, ta, tes, la, le, l, les, cette, ces, ce, cet, c'est, cest, cela, ca,
      était, tout, toute, toutes, tous, aide, l'aide, réponse, réponses, rapidité, réactivité, patience, info, infos, information, informations, l'info, l'information, linfo, renseignement,
      renseignements, explication, explications, l'explication, précision, précisions, conseil, conseils, gentillesse, efficacité, l'efficacité, temps, service, clarté, disponibilité, rapide, rapides,
      claire, clair, claires, clairs, utile, utiles, précieuse, précieuses, précieux, précise, précis, efficace, efficaces, gentil, gentille, sympa, sympathique, aimable, adorable, chouette, à, vous,
      toi, te, tu, es, t'es, êtes, avez, as, m'a, ma, m'avez, m'as, m'aide, m'aider, m'ont, aidé, aidée, aider, aides, m'avoir, d'avoir, avoir, répondu, pris, prise, consacré, éclairé, dépanné, sauvé,
      rendu, encore, fort, oui, ah, oh, bon, bonne, bah, ben, eh, hé, voilà, j'ai, j, ai, compris, trouvé, trouvée, mon, que, qui, je, j'avais, besoin, cherchais, voulais, fallait, me, il, savoir,
      demandais, question, problème, résolu, réglé, réglée, résout, répond, tout bon, c'est bon, c'est tout, exactement, bot, robot, chatbot, monsieur, madame, et, en, avance, d'avance, par,
      quand même, remercie, suis, ravi, ravie, content, contente, satisfait, satisfaite, rassuré, rassurée, bravo, chapeau, travail, boulot, joué, joue, job, est, autant, tant, tellement, si, comme,
      réponds, noté, marche, fonctionne, maintenant, vite, bonjour, bonsoir, alors, la vie, coup de main, du fond du cœur, coeur, cœur, service client, équipe, l'équipe, toute l'équipe, aussi,
      nouveau, magnifique, hyper, méga, franchement, donc, vu, entendu, reçu, parlé, bien reçu, pigé, ouf, wow, waouh, whaou, ont, été, a, lot, merci, 👍, 🙏, 😊, 🙂, 😀, ❤, 😍, 🥰, 😘, 😁, 😃, 😄, 😉, 👏, 💪, 🎉,
      👌, 💯, ✅, 🤗, 🤩, ☺, 😅, 😇, 🙌, ✨, 🌟, ⭐, 💖, 💙, 🌹, 🌸`,
    thank: `ça assure, apprécie, j'apprécie, c'est apprécié, très apprécié, bien dépanné, m'avez dépanné, m'as dépanné, dépanné, comprends mieux, je comprends mieux, plus clair, ça a marché,
      a fonctionné, ça fonctionne, ça a fonctionné, bien expliqué, très bien expliqué, bluffé, bluffant, impressionnant, impressionné, impressionnée, que du bonheur, rien à redire, bonne info,
      bonne explication, vous êtes un ange, tu es un ange, t'es un ange, un amour, une perle, vous êtes adorable, vous êtes super, t'es le meilleur, t'es la meilleure, gentil à vous,
      gentil de votre part, sympa de votre part, c'est gentil, c gentil, c'est sympa, c'est cool, c'est super, c'est top, c top, c cool, c parfait, c noté, c'est clair maintenant, bonne nouvelle,
      ravi, ravie, satisfait, satisfaite, me voilà rassuré, me voilà rassurée, je suis rassuré, je suis rassurée, rassuré, rassurée, remercier, vous remercier, te remercier, remerciement, grand merci,
      big up, bien reçu, c'est compris, ok compris, ça roule, au top, topissime, super réactif, très réactif, réactif, réactive, super efficace, pile ce que je cherchais, pile ce qu'il me fallait,
      exactement ce que je voulais, exactement ce qu'il me fallait, je sais maintenant, chouette, ça m'aide, ça m'aide beaucoup, ça m'a aidé, ça m'a bien aidé, bien utile, vraiment utile,
      bonne réactivité, quelle efficacité, quelle rapidité, quelle réactivité, rapide et efficace, j'y vois plus clair, impec merci, ✅, 💪, 🎉, 🙌, 🤗, 🤩, merci, mercii, mercis, mercie, mrc, mrci, mci,
      mercy, thanks, thank you, thx, remercie, remercions, remerciements, reconnaissant, reconnaissante, gratitude, super, parfait, génial, géniale, nickel, impeccable, impec, top, excellent,
      excellente, formidable, fantastique, merveilleux, merveilleuse, extra, bravo, chapeau, magnifique, cool, trop bien, trop fort, trop forte, bien joué, bon boulot, bon travail, beau travail,
      bon job, bien vu, parfaite, adorable, trop sympa, très sympa, très gentil, très gentille, trop gentil, trop gentille, très aimable, trop cool, très utile, super utile, très clair, très claire,
      très efficace, très bien, très pratique, très rapide, bien aidé, bien aidée, beaucoup aidé, beaucoup aidée, m'a aidé, m'a aidée, m'avez aidé, m'avez aidée, m'as aidé, m'as aidée,
      m'aide beaucoup, m'aide bien, m'aide énormément, m'avez sauvé, m'as sauvé, me sauves la vie, me sauvez la vie, d'une grande aide, d'une aide précieuse, grande aide, problème résolu,
      problème réglé, c'est résolu, c'est réglé, tout est clair, c'est clair, c'est plus clair, j'ai compris, bien compris, j'ai ma réponse, j'ai eu ma réponse, j'ai trouvé, répond à ma question,
      répondu à ma question, tout ce que je voulais savoir, ce que je voulais savoir, ce que je cherchais, ce qu'il me fallait, tout ce qu'il me fallait, ce dont j'avais besoin, bonne réponse,
      bon robot, bon bot, tu gères, vous gérez, tu assures, vous assurez, ça marche, je vous adore, je t'adore, je t'aime, au poil, royal, tip top, nikel, niquel, c'est noté, bien noté, sympa,
      le meilleur, la meilleure, les meilleurs, 👍, 🙏, ❤, 👏, 💯, 👌, 😍, 🥰, 😘`,
    bye: `meilleures salutations, sincères salutations, mes salutations, salutations distinguées, au rvoir, a la prochaine, à tout de suite, à très vite, à très bientôt, à tres bientot, a bientot,
      a tte, a tt, à toutàl'heure, a pluss, a plush, au revoir à vous, à dimanche, à mercredi, à ce soir, à tout bientôt, on se reparle, on se revoit, on se reparle plus tard, on se recontacte,
      je vous recontacte, je reviens vers vous, je reviendrai vers vous, je vous quitte, je te quitte, je me déconnecte, je déconnecte, je raccroche, je vais y aller, je vais vous laisser,
      je vais te laisser, bon bah j'y vais, je dois filer, je dois vous quitter, je suis parti, je suis partie, je m'en vais, je me casse d'ici, excellente continuation, bonne continuation à vous,
      excellent week end, excellent weekend, bon long week end, très bon week end, excellente fin de journée, belle fin de journée, belle continuation, très belle journée, très bonne soirée,
      très bonne fin de journée, douce soirée, bonne nuitée, bonne nuit à vous, dormez bien, dors bien, fais de beaux rêves, bonnes fêtes de fin d'année, joyeuses fêtes, joyeux noël, bonne année,
      bon réveillon, bonne rentrée, bon vent, tchin, tcho, tchao tchao, ciao ciao, tchau, hasta la vista, adios, arrivederci, bonne fin d'aprem, bon lundi, bon mardi, bon mercredi, bon jeudi,
      bon vendredi, bon après midi à vous, bon appétit, bon app, amicalement, bien amicalement, respectueusement, à vous revoir, au plaisir de vous revoir, au plaisir de vous relire, mes amitiés,
      gros bisous, la bise, bizou, bise, bonne journéee, bone journée, bonne jounée, bjr et au revoir, c'est tout merci, c'était tout, c'est tout ce que je voulais, kenavo, adishatz, ayo,
      à la r'voyure, à un de ces jours, à un de ces quatre, à une autre fois, au revoir, aurevoir, o revoir, au revoir et merci, orevoir, bye, bye bye, byebye, bbye, baye, ciao, tchao, tchô, tchuss,
      tschuss, adieu, à bientôt, à plus, à plus tard, aplus, a plus dans le bus, à pluche, à demain, à tout à l'heure, à toute, à tantôt, à la prochaine, à une prochaine, à une prochaine fois,
      à la prochaine fois, à la revoyure, à lundi, à mardi, à jeudi, à vendredi, à samedi, bonne journée, bonne journee, belle journée, excellente journée, très bonne journée, bonne soirée,
      belle soirée, excellente soirée, bonne nuit, douce nuit, bonne continuation, bon week end, bon weekend, bon we, bon wk, bonne fin de semaine, bonne fin de journée, bonne fin de soirée,
      bonne fin d'après midi, bon après midi, bonne après midi, bonne aprem, bon aprem, bonne matinée, bonne semaine, bonnes vacances, bonnes fêtes, bon dimanche, bon samedi, je vous laisse,
      je te laisse, je dois y aller, je dois partir, je dois vous laisser, je dois te laisser, faut que j'y aille, il faut que j'y aille, j'y vais, je file, je me sauve, je vous dis au revoir,
      cordialement, bien cordialement, bien à vous, portez vous bien, porte toi bien, prenez soin de vous, prends soin de toi, bonne route, à la semaine prochaine, allez salut, bon salut, ok salut,
      merci salut, salut et merci, salut à bientôt, salut merci, allez bye, je reviendrai, je reviendrai plus tard, je reviens plus tard, je repasserai, au plaisir, à la proch, see you, goodbye,
      bonne jrn, bonne journé, bonne aprèm, bonne soiree, bizz, bises, bisous, bisou, c'est tout pour aujourd'hui, c'est tout pour moi, ce sera tout`,
    byw: `bon courage, je n'ai plus besoin de rien, je n'ai besoin de rien d'autre, plus besoin de rien, besoin de rien d'autre, non merci, ça ira, tout est bon, tout est ok, c'est bon,
      c'est bon pour moi, je vous remercie, et bon courage, encore merci, et encore merci, bonne, j'ai toutes mes réponses, j'ai ma réponse, tout est clair, la team, la compagnie, les copains,
      mon pote, mec, cher ami, chers amis, excellent, douce, journée, soirée, dans ce cas, pour le moment, pour l'instant, il est tard, il se fait tard, j'ai du travail, le devoir m'appelle, donc,
      sur ce, bon ben, bien, si besoin, peut être à, j'ai à faire, me, m, que, 👋, 😊, 🙂, 😘, ❤, 🌙, ☀, 😴, 🌞, 😉, vous, toi, à vous, à toi, à vous aussi, aussi, également, pareillement, et, alors, bon,
      ben, bah, allez, allé, aller, ok, passez, passe, je vous souhaite, je te souhaite, souhaite, une, un, très, excellente, belle, monsieur, madame, messieurs, mesdames, tous, toutes, à tous,
      à toutes, tout le monde, le monde, la, le, de, du, pour, peut être, fois, prochaine, j'espère, je, dois, y, maintenant, là, ami, l'ami, mon ami, les amis, je vais, réfléchir, plus tard, tard,
      demain, soir, ce soir, à, au, en, non, oui, c'est tout, ça sera tout, ce sera tout, rien d'autre, pas d'autre question, plus de question, plus de questions, pas d'autres questions,
      je n'ai plus de question, je n'ai plus de questions, j'ai fini, j'ai terminé, j'ai tout, avec plaisir, plaisir, chère, cher, bot, robot, l'équipe, équipe, salut, discuter, d'avoir discuté,
      ravi d'avoir discuté, c'était, un plaisir, sympa de discuter, reviendrai, si j'ai, d'autres questions, besoin, une autre fois`,
    hello: `ouhou, ouh ou, houhou, hou hou, hep, hello you, ola, saluut, cou cou, bonjour bonjour, salut salut, hellooo, heyy, bonjoir, bonsoi, bjs, bonjour à vous tous,
      bonne journée à vous j'ai une question, mes salutations, salutation, salem, salam, salam aleykoum, shalom, namaste, good evening, hi there, bonjour hi, allo y'a quelqu'un, y'a t il quelqu'un,
      y a t'il quelqu'un, y a t il quelqu'un ici, y a quelqu'un ici, y a quelqu'un là dedans, il y a quelqu'un ici, il y a quelqu'un au bout, y a t il quelqu'un derrière, est ce que quelqu'un est là,
      quelqu'un est là, quelqu'un ici, quelqu'un m'entend, quelqu'un me lit, vous êtes réveillé, tu dors, vous dormez, tu m'écoutes, vous m'écoutez, vous me lisez, tu me lis, ça fonctionne,
      ce chat fonctionne, ce chat marche, le chat fonctionne, ça marche ce chat, est ce que ça marche, tu réponds, vous répondez, ça se passe bien, comment tu te sens, comment te sens tu,
      comment ça se passe, comment ça roule, quelles nouvelles, tu as une minute, vous avez une minute, vous avez deux minutes, tu as deux minutes, t'as deux minutes, t'as 2 min, vous avez 2 minutes,
      avez vous une minute, avez vous deux minutes, avez vous un instant, vous avez un instant, puis je vous déranger, je peux vous déranger, je vous dérange, je te dérange, bonjour je suis là,
      je suis de retour, c'est encore moi, me revoilà, meilleurs vœux, meilleurs voeux, ravi de faire votre connaissance, enchanté de faire votre connaissance, heureux de vous parler, comment vas,
      comment est ce que ça va, est ce que ça va, est ce que tu vas bien, est ce que vous allez bien, vous allez bien aujourd'hui, bien dormi, bien dormi le robot, on y va, allons y, bonjour,
      bonjours, bonjou, bojour, bnjour, bjr, bonj, bjour, bonsoir, bsr, bonswar, salut, salu, slt, saluu, coucou, cc, kikou, hello, helo, hey, hé, eh, hi, hola, yo, wesh, allo, allô, allo allo, re,
      rebonjour, rebonsoir, re bonjour, re salut, salutations, bien le bonjour, le bonjour, bon matin, bon jour, hallo, good morning, ouh ouh, ohé, oh hé, youhou, enchanté, enchantée, test, ça va,
      ca va, sa va, comment ça va, comment ca va, comment sa va, comment allez vous, comment vas tu, comment tu vas, comment vous allez, comment va, tu vas bien, vous allez bien, vas tu bien,
      allez vous bien, ça va bien, ça roule, ça gaze, ça marche bien, quoi de neuf, koi de neuf, quoi de beau, comment va la vie, comment se passe, comment se passe ta journée,
      comment se passe votre journée, bien ou bien, bien ou quoi, vous êtes là, vous etes la, tu es là, t'es là, êtes vous là, es tu là, est ce que tu es là, est ce que vous êtes là, toujours là,
      vous êtes toujours là, tu es toujours là, êtes vous disponible, vous êtes disponible, es tu disponible, tu es disponible, vous êtes dispo, t'es dispo, tu es dispo, vous m'entendez, tu m'entends,
      vous me recevez, tu me reçois, vous êtes en ligne, êtes vous en ligne, tu es en ligne, il y a quelqu'un, y a quelqu'un, ya quelqu'un, y'a quelqu'un, y a t il quelqu'un,
      est ce qu'il y a quelqu'un, il y a du monde, y a du monde, y a qqn, il y a qqn, ya qqn, toc toc, ravi de vous rencontrer, ravi de te rencontrer, heureux de vous rencontrer, comment va tu,
      comment aller vous, menu, 👋`,
    gr: `bon dimanche, bonne journée, belle journée, bonne année, la miss, et vous, et toi, vous tous, la famille, comment, cher service client, cher robot, chère équipe, chers tous, du matin,
      du soir, à vous tous, à vous toutes, là dedans, ici présents, juste, un instant, deux secondes, 2 secondes, un moment, de bon matin, par là, c'est moi, c'est encore moi, je suis nouveau,
      je suis nouvelle, je suis nouveau ici, merci beaucoup, merci par avance, avec plaisir, mr, mme, m, dear, chez vous, ✨, 🌸, 😎, 😴, bonjour, bonsoir, salut, coucou, hello, hey, hi, bjr, slt, bsr,
      allo, monsieur, madame, messieurs, mesdames, mademoiselle, messieurs dames, m'sieur dame, à, tous, toutes, tout le monde, le monde, la compagnie, vous, toi, à vous, à toi, à tous, l'équipe,
      à l'équipe, toute l'équipe, à toute l'équipe, équipe, bot, robot, le bot, le robot, chatbot, chat, l'ami, mon ami, les amis, les gens, cher, chère, chers, svp, stp, s'il vous plaît,
      s'il te plaît, et, bien, aujourd'hui, ce matin, ce soir, j'espère que, j'espère, que, vous allez bien, tu vas bien, tout va bien, en ce moment, excusez moi, excuse moi, pardon,
      désolé de vous déranger, désolée de vous déranger, excusez moi de vous déranger, je me permets de vous contacter, le service client, service client, encore, de nouveau, là, toujours, oui, merci,
      merci d'avance, mon pote, mec, assistant, moi, moi ça va, d'ailleurs, alors, euh, ok, bon, ici, dis, dites, dis moi, dites moi, donc, ma belle, la team, team, les copains, tout, 👋, 😊, 🙂, 😀, 😃,
      😄, 😁, 😉, 🙏, ☀, 🌞, ❤, 🤗, ☺, 😅, ✋, 🖐`,
    ask: `question pour vous, question à propos de vos services, quelque chose à savoir, ptite question, tite question, p'tite question, truc à vous demander, service à vous demander,
      service à demander, point à éclaircir, éclaircissement, éclaircissements, complément d'information, complément d'info, d'aide, d'un renseignement, d'un conseil, d'une info, d'une information,
      d'infos, d'informations, d'info, d'assistance, d'un coup de main, d'un peu d'aide, assistance, assistance svp, explication, explications, situation compliquée, cas particulier, préoccupation,
      sujet à aborder, demande particulière, demande de renseignement, demande de renseignements, demande d'information, demande d'informations, truc, chose, interrogation, question bête,
      questions bêtes, deux questions, urgence, orientation, question, questions, petite question, petites questions, demande, demandes, problème, problèmes, souci, soucis, petit souci,
      petit problème, gros problème, gros souci, interrogations, requête, renseignement, renseignements, petit renseignement, info, infos, information, informations, petite info, doute, conseil,
      conseils, autre question, question rapide, simple question, petite demande, petite question rapide, question simple, toute petite question, coup de main, petit coup de main, dernière question,
      question urgente, truc à demander, chose à demander, quelque chose à demander, quelque chose à vous demander, qqch à demander, précision, précisions, aide, peu d'aide, quelques renseignements,
      quelques informations, petit conseil, question à poser, questions à poser`,
    havea: `j'ai, j ai, jai, j'aurais, j'aurai, j aurais, jaurais eu, je n'ai, nous avons, nous aurions, on a, on aurait, je voudrais, je voudrai, j'aimerais, j'aimerai, je veux, je souhaite,
      je souhaiterais, je souhaiterai, je désire, je désirerais, je cherche, il me faut, il me faudrait, j'ai besoin, j ai besoin, j'aurais besoin, j'aurai besoin, nous avons besoin, besoin,
      on a besoin, nous aurions besoin, je viens pour, je viens, j'avais, je vous contacte pour, je vous écris pour, c'est pour, puis je avoir, je peux avoir, est ce que je peux avoir,
      pourrais je avoir, peut on avoir, serait il possible d'avoir, j'aimerais avoir, je voudrais avoir, je souhaite avoir, j'aurais voulu, je voulais`,
    mayask: `puis je, je peux, je pourrais, pourrais je, est ce que je peux, est ce que je pourrais, peut on, on peut, j'aimerais, je voudrais, je souhaite, je souhaiterais, je veux, je voulais, j'ai,
      je viens, est il possible de, c'est possible de, serait il possible de, possible de, j'aurais voulu, j'aurais aimé, je souhaitais, j'aimerai, je voudrai, je dois`,
    helpme: `m'aider, m aider, maidé, m'aidez, me renseigner, me conseiller, m'assister, me dépanner, me donner un coup de main, me filer un coup de main, me venir en aide, nous aider, me répondre,
      répondre à une question, répondre à ma question, répondre à mes questions, répondre à quelques questions, me donner un renseignement, me donner une information, me donner une info,
      me donner des informations, me donner des renseignements, m'aider avec quelque chose, m'aider pour quelque chose, m'aider à quelque chose, m'aider sur un point, m'éclairer, me guider, aider,
      m'informer`,
    stopw: `sortir, sors, sortez, laisse béton, laisse beton, laissez béton, lâchez l'affaire, abort, quit, end, fin de conversation, fin de discussion, fin du chat, arrêtons, arrêtons là,
      arrêtons nous, arrêtons nous là, stoppons, terminons, finissons en, on en a fini, on a fini, on a terminé, on termine, c'est terminé, cloture, clôture, clôturez, ferme le chat, fermez le chat,
      fermer le chat, cache toi, recommence, recommencez, revenir au début, revenir en arrière, laisse moi respirer, lâche moi la grappe, lâche moi les baskets, lâchez moi la grappe, fiche le camp,
      pars, partez, disparais, disparaissez, mets toi en pause, en pause, tais toi donc, plus un mot, pas de messages, arrêter la discussion, arrêter là, j'en ai assez, j'en ai marre, en ai marre,
      c'est assez, ça me suffit, trop c'est trop, pas pour moi, très peu pour moi, je décline, je refuse, sans suite, je ne suis pas intéressé, je ne suis pas intéressée, je suis pas intéressé,
      je suis pas intéressée, aucun intérêt, inutile, inutile merci, non c'est bon, nan c'est bon, non c bon, nan c bon, non ça ira, non ça va, non ça va merci, ça ira merci, c'est bon merci,
      je n'ai pas besoin, j'ai pas besoin, je n'ai plus besoin, j'ai plus besoin, je n'en ai plus besoin, j'en ai plus besoin, ne faites rien, ne fais rien, ne fais plus rien, ne bouge plus,
      faux départ, mauvaise manip, mauvais chat, mauvaise conversation, mauvaise fenêtre, c'était une erreur, c'est une erreur, par erreur, trompé de chat, trompée de chat, laissons tomber, laissons,
      laissez ça, laisse ça, on oublie, on oublie ça, j'ai rien dit, je n'ai rien dit, faites comme si je n'avais rien dit, fais comme si j'avais rien dit, au temps pour moi, autant pour moi,
      une autre fois peut être, je verrai plus tard, on verra plus tard, je verrai, on verra, je regarderai plus tard, ça peut attendre, je vais voir ailleurs, je vais me débrouiller tout seul,
      je m'en occupe, je gère, je trouverai, j'ai trouvé tout seul, c'est bon j'ai trouvé, bon bah tant pis, stop, stopp, stoppe, stopper, stoppez, arrête, arrêtez, arrêter, arrête ça, arrêtez ça,
      arrête tout, arrêtez tout, arrete de, annule, annulez, annuler, quitter, quittez, terminer, termine, terminé, terminez, fin, fini, exit, cancel, fermer, ferme, fermez, clôturer, clore,
      abandonner, abandonne, abandon, j'abandonne, laisse tomber, laissez tomber, je laisse tomber, laisser tomber, laisse, laissez, oublie, oubliez, oublie ça, oubliez ça, oublier, oublie moi,
      tant pis, non merci, nan merci, merci mais non, merci non, pas la peine, pas besoin, plus besoin, plus la peine, sans façon, pas grave, c'est pas grave, ce n'est pas grave, pas important,
      plus important, rien, j'ai changé d'avis, changé d'avis, changement d'avis, pas intéressé, pas intéressée, plus intéressé, plus intéressée, ça ne m'intéresse pas, ça m'intéresse pas,
      ça ne m'intéresse plus, ça m'intéresse plus, m'intéresse pas, tais toi, taisez vous, taisez, chut, silence, lâche moi, lâchez moi, laisse moi, laissez moi, laisse moi tranquille,
      laissez moi tranquille, fiche moi la paix, fichez moi la paix, fous moi la paix, foutez moi la paix, laisse moi en paix, laissez moi en paix, ça suffit, ca suffit, sa suffit, suffit, il suffit,
      assez, basta, ça ira, sa ira, ça va aller, ça va comme ça, on arrête, on s'arrête, on en reste, restons en, restons en là, on laisse tomber, c'est fini, j'ai fini, j'arrête, je m'arrête,
      je veux plus, je ne veux plus, pas maintenant, une autre fois, plus tard peut être, peut être plus tard, mettre fin, mets fin, mettez fin, désactive, désactive toi, désactivez, désactiver,
      déconnecte, déconnexion, éteins toi, retour au menu, recommencer, je me débrouille, je me débrouillerai, je vais me débrouiller, je préfère arrêter, peu importe, n'en parlons plus,
      inutile de continuer, pas envie de continuer, ne m'écris plus, ne m'écrivez plus, ne me parle plus, ne réponds plus, ne répondez plus, n'écris plus, n'écrivez plus, me contactez plus,
      me contacte plus, va t'en, va t en, allez vous en, rien merci, c'est bon laisse, cesse, cessez, interrompre, interromps, désabonner, désinscription, unsubscribe, fausse manip, fausse manœuvre,
      erreur de ma part, je me suis trompé, je me suis trompée, ignore, ignorez, trop tard, tg stop, lâche l'affaire, je lâche l'affaire, je passe mon tour`,
    st: `ma question, mes questions, la question, ma dernière question, ma dernière demande, mon message, ce que j'ai dit, ce que j'ai demandé, ce que j'ai écrit, ce que je viens de dire,
      cette demande, cette question, toute cette, toutes ces, ces, nah, nope, na, c, c bon, mon, la discussion en cours, la conversation en cours, le dialogue, ce dialogue, l'assistant, assistant,
      cet assistant, ce bot, ce robot, ce chatbot, le bot, le robot, le chatbot, la fenêtre de chat, intérêt, intéresse, m'intéresse, j'ai dit, dit, dis, je t'ai dit, je vous ai dit, immédiat,
      avec ça, avec tes, avec vos, avec ton, avec votre, questions inutiles, inutiles, tes messages, vos messages, ces messages, me relancer, relancer, m'aider, d'aider, m'ennuyer, m'embeter,
      me solliciter, me contacter, m'importuner, radoter, répéter, te répéter, vous répéter, de me, de m, de te, de vous, de la, de l, d un, un, une, temps, mon temps, perdre, perds, de perdre,
      faire perdre, me faire, faire, non plus, quand même, comme vous voulez, gentil, c'est gentil, vous êtes gentil, pas la peine, peut être, une prochaine fois, prochaine, fois, voir, je vais voir,
      directement, 🙅, 🤚, 😴, 🤐, non, nan, nn, oui, ok, okay, bon, bah, ben, finalement, en fait, en faite, merci, svp, stp, s'il vous plaît, s'il te plaît, maintenant, tout de suite, immédiatement,
      tout, tous, ça, ca, cela, sa, là, la, alors, c'est, c'est bon, cest bon, vous, toi, bot, robot, chatbot, je, veux, voudrais, souhaite, aimerais, je veux, je voudrais, je souhaite, j'aimerais,
      je préfère, je n'ai, j'ai, n'ai, ai, je n'en ai, j'en ai, en, ce, n'est, est, pas, plus, de, d', d'aide, aide, l'aide, votre aide, ton aide, le, les, cette, ce chat, le chat, chat, tchat,
      conversation, discussion, la conversation, la discussion, l'échange, cet échange, session, dialogue, demande, ma demande, la demande, procédure, l'opération, opération, action, en cours,
      m'écrire, me parler, parler, répondre, me répondre, écrire, m'envoyer, d'envoyer, envoyer, messages, des messages, message, me, m'embêter, déranger, me déranger, insister, proposer, me proposer,
      spammer, me spammer, poser, questions, des questions, vos questions, tes questions, peux tu, pouvez vous, tu peux, vous pouvez, on, peut, va, vais, arrêter, ici, comme, comme ça, pour, moi,
      aujourd'hui, et, mais, à, au, trouvé, trouver, j'ai trouvé, tout seul, toute seule, seul, seule, autrement, ailleurs, chercher, je vais, moi même, continuer, de continuer, discuter, avec,
      avec toi, avec vous, rien, du tout, aucun, besoin, j'ai tout, il, faut, vraiment, donc, avis, trop, compliqué, long, ta, ton, tes, vos, votre, blabla, un peu, peu, fait, aller, allez, désolé,
      désolée, par erreur, d'autre, autre chose, autre, ne, bot stupide, stupide, fenêtre, la fenêtre, cette fenêtre, cette conversation, cette discussion, cette session, 🛑, ✋, ❌, 🙏, 😊, 👍, 🙂, 😡, 😠, 😤,
      🙄`,
    insult: `inutile, bande de malades, t'es malade, tu es malade, vous êtes malades, bande de requins, bande de rats, sale rat, une blague, sucez moi, suce moi, gros boulet, ta gueule toi,
      d'arnaqueurs, d'escrocs, d'idiots, d'imbéciles, d'incapables, d'incompétents, d'abrutis, d'abruti, d'idiot, d'imbécile, d'enculés, d'enculé, d'enfoirés, d'enfoiré, d'ordures, d'ordure,
      d'incapable, d'andouille, d'andouilles, d'amateurs, amateurs, de branquignols, branquignols, branquignol, charlots, charlot, bras cassés, rapaces, rapace, pourritures, pourriture, profiteurs,
      profiteur, vermine, crevards, crevard, crapule, crapules, fripouilles, fripouille, filous, malhonnête, malhonnêtes, malfrats, truands, truand, brigands, gangsters, hypocrite, hypocrites,
      irresponsables, zero pointé, minus, moins que rien, débilos, teubé, teubés, bolos, bouffonne, mongolien, abrutissant, con comme, connards va, grosse merde, sombre merde, belle merde,
      de la merde, à la con, a la con, de mes deux, à la noix, à deux balles, de pacotille, à chier, nul à chier, nuls à chier, de la daube, pourrave, pourav, claqué au sol, éclaté au sol, foireux,
      foireuse, lourdingue, insupportable, insupportables, infect, infecte, ignoble, immonde, abject, abjecte, dégoûtant, dégoutant, dégoûtants, répugnant, écœurant, écoeurant, indigne, indignes,
      révoltant, inqualifiable, indécent, consternant, navrant, décevant, décevante, intolérable, grotesque, aberrant, débilitant, gonflant, gonflante, chiez, chies, vous chiez, je chie,
      me fais chier, me faites chier, nous faites chier, vous me faites chier, tu me fais chier, tu me saoules, vous me saoulez, tu me gaves, vous me gavez, gaves, gavez, tu me fatigues,
      vous me fatiguez, me fatigues, me fatiguez, m'agaces, m'agacez, tu m'agaces, tu m'énerves, vous m'énervez, me rends fou, me rendez fou, me rends dingue, casse les pieds, péter les plombs,
      te faire foutre, vous faire foutre, te faire voir, vous faire voir, te faire mettre, aller vous faire, allez vous faire mettre, allez mourir, va mourir, va voir ailleurs, va au diable,
      va en enfer, brûle en enfer, brûlez en enfer, ferme ta bouche, ferme ta gueul, fermez vos gueules, ta bouche, ta geule, ta guele, tageule, nique sa mère, nique vos mères, ntm fdp, tamère,
      ta mère la, va te pendre, sucez, suce ma, mange tes morts, tes morts, vos morts, zut, mince alors, bordel, bordel de merde, putain de merde, merde alors, putain de bordel, fait suer, fais suer,
      faites suer, sac à merde, étron, trou du cul, trouduc, trou de balle, tête de nœud, tête de noeud, tête de con, tête de cul, gros con, sale con, petit con, vieux con, sale bot, sale robot,
      sale machine, sale ia, sale arabe, pouffiasse, poufiasse, grognasse, glandu, ducon, neuneu, simplet, benêt, nigaud, niais, niaise, sot, sotte, plouc, ploucs, bête comme, bête à manger, demeurés,
      détraqué, malades mentaux, cinglé, cinglés, fou à lier, psychopathe, nazi, nazis, fasciste, facho, fachos, raciste, racistes, tu mens, vous mentez, mensonge, mensonges, que des mensonges,
      c'est du vol, voleuses, racket, du racket, escroquerie, arnaques, une plaisanterie, une mascarade, la risée, honte à vous, vous avez pas honte, vous n'avez pas honte, vous devriez avoir honte,
      tu devrais avoir honte, ayez honte, grosse honte, pas professionnel, pas sérieux, pas sérieuse, aucun professionnalisme, amateurisme, à vomir, à gerber, me donnes envie de vomir, me dégoûtes,
      me dégoûtez, tu me dégoûtes, vous me dégoûtez, me déçois, décevez, me débecte, faites faillite, que vous ferez faillite, sert strictement a rien, sert à que dalle, sers à que dalle,
      servez à que dalle, sert à quedal, ne vaut rien, vaut rien, valez rien, vaux rien, comprends quedal, comprends que dalle, comprend que dalle, capte rien, comprends vraiment rien,
      comprend vraiment rien, comprends jamais rien, comprend jamais rien, es bouché, t'es bouché, à côté de la plaque, complètement à la ramasse, à la ramasse, à l'ouest, largué, à la masse,
      qi d'huître, qi d'une huître, cerveau d'huître, pas de cerveau, t'as pas de cerveau, n'as pas de cerveau, pas une lumière, pas fute fute, gros nul, gros nuls, gros nase, grosse arnaque,
      nulissime, nul nul nul, null à chier, inefficace, inefficaces, va jouer ailleurs, bouffon va, clébard, sous merde, sous merdes, sous race, esclavagistes, va te faire, allez vous faire, fils de,
      la ferme, nique, marde, c'est la catastrophe, quelle catastrophe, quelle horreur, une bouse, de la bouse, gros porc, sale porc, bande de porcs, câlice, con, cons, conne, connes, connard,
      connards, connasse, connasses, conard, conar, connar, connerie, conneries, kon, imbécile, imbéciles, imbecil, idiot, idiote, idiots, idiotes, débile, débiles, stupide, stupides, stupidité, bête,
      bêtes, nul, nulle, nuls, nulles, null, nullité, nullissime, naze, nazes, nase, merde, merdes, merdique, merdiques, merdeux, demerde, pute, putes, putain, ptn, putin, salope, salopes, salaud,
      salauds, saloperie, salopard, salopards, enculé, enculés, encule, enculer, enfoiré, enfoirés, fdp, fils de pute, ntm, nique ta mère, nique ta mere, niquez vos mères, nique toi, va niquer,
      foutre, va te faire foutre, va te faire voir, va te faire enculer, va te faire mettre, allez vous faire foutre, allez vous faire voir, allez vous faire enculer, va chier, allez chier, chier,
      fais chier, faites chier, fait chier, ta gueule, tg, tagueule, vos gueules, vos gueule, ferme ta gueule, ferme la, fermez la, casse toi, cassez vous, dégage, dégagez, barre toi, barrez vous,
      abruti, abrutie, abrutis, crétin, crétine, crétins, bouffon, bouffons, boloss, tocard, tocards, tocarde, incapable, incapables, incompétent, incompétente, incompétents, incompétence, voleur,
      voleurs, voleuse, escroc, escrocs, arnaqueur, arnaqueurs, charlatan, charlatans, bandit, bandits, menteur, menteurs, menteuse, inutiles, bon à rien, bons à rien, bonne à rien, sers à rien,
      sert à rien, servez à rien, servent à rien, sers à quedal, sert strictement à rien, comprends rien, comprend rien, comprenez rien, piges rien, captes rien, pourri, pourrie, pourris, pourries,
      ridicule, ridicules, lamentable, lamentables, minable, minables, pitoyable, pitoyables, déplorable, déplorables, catastrophique, médiocre, honteux, honteuse, une honte, la honte, honte,
      scandaleux, scandaleuse, un scandale, scandale, inadmissible, inacceptable, exécrable, affligeant, affligeante, désastreux, désastreuse, dégueulasse, dégueu, n'importe quoi,
      du grand n'importe quoi, foutage de gueule, on se fout de moi, vous foutez de moi, vous foutez de ma gueule, te fous de moi, te fous de ma gueule, te fout de ma gueule, vous moquez de moi,
      te moques de moi, vous moquez du monde, vous foutez du monde, prenez pour des cons, prenez pour un con, prends pour un con, prenez les gens pour des cons, saoules, saoulez, saoule, soules,
      gonfles, gonflez, énerves, énervez, m'énerves, m'énervez, m'énerve, casses les couilles, cassez les couilles, casse les couilles, les couilles, couilles, cassez les pieds, casses les pieds,
      emmerdes, emmerdez, emmerde, t'emmerde, vous emmerde, déteste, vous déteste, te déteste, te hais, vous hais, pues, puez, pue, crève, crevez, crever, va crever, allez au diable, tas de ferraille,
      boîte de conserve, grille pain, tas de merde, tas d'ordures, ordure, pauvre type, pauvre tache, pauvre con, raclure, fumier, chien de la casse, clochard, andouille, gros lard, cassos, mongol,
      mongole, gogol, gogole, golmon, triso, attardé, attardée, attardés, demeuré, taré, tarée, tarés, pd, pédé, tapette, bâtard, batard, bâtards, branleur, branleurs, glandeur, glandeurs, feignant,
      feignants, fainéant, fainéants, guignol, guignols, clown, clowns, rigolos, rigolo, pignouf, blaireau, merci pour rien, une horreur, horrible, affreux, odieux, une daube, nawak, portnawak,
      chiant, chiante, chiants, relou, soûlant, saoulant, perte de temps, perdre mon temps, pire, le pire, la pire, les pires, tabarnak, tabarnac, tabernak, câlisse, calisse, criss, crisse, osti,
      ostie, esti, niaiseux, niaiseuse, niaiseries, épais, moron, mange de la marde, mangez de la marde, fuck, fuck you, fuck off, bullshit, shit, wtf, bitch, motherfucker, arriéré, ignare, ignares,
      pas malin, pas très malin, pas foutu, pas foutus, foutu, foutus, fous le camp, foutez le camp, je vous chie dessus, je te pisse dessus, pisse, lavette, gros tas, mafia, mafieux, racketteurs,
      racaille, racailles, sangsues, 🖕, 💩, 🤬`,
    ab: `france, de france, de toute la france, d'europe, sur terre, du marché, du siècle, de l'année, au sol, à, s, déçu, déçue, je suis, nous, vos, notre, leur, leurs, son, sa, ses, eux, ils, elle,
      elles, fric, notre argent, l'argent, d'argent, clientèle, les clients, vos clients, le client, assistance, votre assistance, l'assistance, hotline, banquiers, vendeurs, employés, patron,
      patrons, équipe, votre équipe, toute, famille, ta famille, pieds, tes pieds, comme tes pieds, comme un pied, balai, un balai, comme un balai, manche, chaussure, huître, moule, pierre, cailloux,
      poubelle, à la poubelle, direct, con, va, vas, aller, mourir, enfer, en enfer, diable, maintenant, hein, bah, ben, eh, hé, ha, haha, hop, purée, wow, waouh, c'était, était, quand même, a rien,
      rien du tout, du tout, pratiquement, réellement, définitivement, décidément, vachement, foutrement, extrêmement, particulièrement, incroyablement, mal, pis, tant que ça, que ça, qu'eux,
      que vous, que toi, encore plus, moins, moitié, demi, seul, seule, seulement, simple, simplement, veux, peux, sais, savoir, faire, m'aider, aider, aides, aidez, réponds, répondez, répond, dis,
      dites, dit, parle, parles, parlez, parler, écoute, écoutes, lis, lisez, lire, sait, savez, peut, pouvez, être humain, humain, humains, personne, gars, type, types, mec, mecs, fille, monsieur,
      madame, gens, tas, groupe, équipe de, ramassis, ramassis de, troupe, clique, paquet, genre, sorte, énième, honnêteté, conscience, professionnel, professionnalisme, sérieuse, confiance, niveau,
      zéro, 0, au secours, pffff, pff, pfff, pf, rah, grr, argh, beurk, bof, lamentablement, année, années, ans, depuis, déjà, toujours pas, autre, autres, chose, choses, ailleurs, pays, planète,
      univers, intelligent, intelligente, intelligence, intelligents, malin, QI, comme ça, comme toi, comme vous, tel, telle, t'a, t'as, as, avez, ont, avoir, eu, fabriqué, programmé, conçu, inventé,
      codé, créé, qui t'a, ceux, celui, ce qui, ce que, pareil, pareille, 👎, 😑, 😏, 🙃, 😆, tu, t, t'es, tes, es, vous, êtes, c'est, cest, c, ce, cet, cette, ces, est, sont, un, une, le, la, les, l, de,
      des, du, d, que, qu, quel, quelle, quels, quelles, qu'est ce que, qu'est ce, vraiment, trop, tellement, si, aussi, complètement, totalement, juste, rien, pas, ne, n, n'est, n'es, n'êtes, plus,
      très, hyper, super, grave, bien, qu'un, qu'une, qu'une bande, espèce, espece, espèces, bande, sale, sales, gros, grosse, grosses, petit, petite, pauvre, pauvres, vieux, vieille, bot, robot,
      chatbot, chat, machine, ia, intelligence artificielle, assistant, service, services, service client, client, clients, boîte, boite, entreprise, société, compagnie, site, appli, application,
      magasin, banque, marque, truc, programme, système, ordinateur, votre, ton, ta, mon dieu, tous, tout, toutes, et, ou, mais, en, fait, fais, faites, font, foutre, a, au, aux, jamais, vu, j'ai,
      jai, je, j, me, m, te, se, on, il, vie, de ma vie, du monde, monde, terre, au monde, existe, allez, suis, comprends, comprend, comprenez, sert, servez, sers, sérieux, sérieusement, franchement,
      honnêtement, absolument, strictement, carrément, purement, parfaitement, même, meme, comme, là, oh, ah, oui, non, merci, bravo, qui, où, dans, ton cul, cul, mère, ta mère, ta race, race,
      votre race, toi, moi, avec, par, pour, mes, nos, yeux, dire, répondre, réponses, réponse, tes réponses, vos réponses, bouche, toujours, encore, fois, une fois de plus, quoi, chez, bref, sans,
      cerveau, cœur, coeur, foi, scrupules, honte, travail, boulot, job, débrouillez vous, virtuel, automatique, vraie, vrai, grand, grande, belle, beau, bon, bonne, plein, incapable, foutu, foutue,
      fichu, voilà, ici, mdr, lol, ptdr, sur, pied, clou, valoir, vaut, vaux, valez, pas un clou, tant, autant, y, ça, ca, cela, êtes tous, le plus, la plus, les plus, d'être, être, aucun, aucune,
      aucun respect, respect, utilité, d'utilité, j'en ai marre, marre, ras le bol, ras, bol, assez, temps, mon, ma, du temps, mon temps, perds, perdre, client roi, allez tous, tous les mêmes,
      les mêmes, mêmes, quelle bande, n'importe, qualité, expérience, 😡, 😠, 🤬, 😤, 🙄, 😂, 🤣, 💩, 🖕, 🤮, 🤡, 😒`,
    youare: `tu est, vous ête, vous êtes en fait, tu es en fait, est ce toi, est ce vous, êtes vous en fait, serais tu, seriez vous, est ce bien, c'est vraiment, t'es vraiment, tu es vraiment,
      vous êtes vraiment, est ce vraiment, je cause avec, je cause à, je m'adresse à, est ce que je m'adresse à, m'adressé je à, m'adresse je à, je suis en contact avec,
      est ce que je suis en contact avec, est ce que je suis en ligne avec, est ce que je suis en relation avec, suis je en communication avec, suis je en conversation avec,
      suis je en train d'échanger avec, suis je en train de chatter avec, suis je en train d'écrire à, est ce que je suis en train d'échanger avec, je suis en train d'échanger avec,
      je suis en train de chatter avec, est ce que je chatte avec, je chatte avec, je tchatte avec, j'échange avec, échange je avec, j'écris avec, qui est ce qui répond, est ce que c'est bien,
      est ce qu'on parle à, est ce qu'on a affaire à, on a affaire à, j'ai l'impression de parler à, on dirait, dois je comprendre que vous êtes, tu m'as l'air d'être, tu as l'air d'être,
      réponds tu en tant que, ce chat est, ce tchat est, ce service est, cette conversation est, ce chat est il, ce service est il, ce tchat est il, ici c'est, là c'est, là je parle à,
      là je parle avec, en face c'est, en face il y a, derrière il y a, derrière c'est, es tu plutôt, êtes vous plutôt, tu es, t es, t'es, es tu, est tu, vous êtes, vous etes, êtes vous,
      est ce que tu es, est ce que t'es, est ce que vous êtes, c'est, est ce, est ce que c'est, je parle à, je parle avec, je parle bien à, je parle bien avec, je parle là à, est ce que je parle à,
      est ce que je parle avec, est ce que je parle bien à, est ce que je discute avec, je discute avec, discute je avec, parle je à, parle je avec, parlé je à, parlai je à,
      suis je en train de parler à, suis je en train de parler avec, suis je en train de discuter avec, est ce que je suis en train de parler à, est ce que je suis en train de parler avec,
      est ce que je suis en train de discuter avec, je suis en train de parler à, je suis en train de parler avec, je suis en train de discuter avec, suis je en contact avec, suis je en ligne avec,
      suis je en relation avec, je suis en ligne avec, j'ai affaire à, j'ai à faire à, ai je affaire à, ai je à faire à, est ce que j'ai affaire à, s'agit il, tu n'es pas, tu es pas, vous n'êtes pas,
      t'es pas, n'êtes vous pas, n'es tu pas, tu n'es qu, tu serais, vous seriez, je dialogue avec, est ce que j'échange avec, j'écris à, est ce que j'écris à, c'est bien, tu es quoi, t'es quoi,
      vous êtes quoi, toi tu es, t'es bien, on parle à, on parle avec, tu es bien, vous êtes bien, es ce que tu es, es ce que t es`,
    being: `chat automatique, chat automatisé, tchat automatique, service automatisé, système automatisé, programme automatique, messagerie automatique, bot ia, robot ia, assistant ia,
      assistant numérique, assistant robot, agent conversationnel, robot conversationnel, vrai gens, vraie conseillère, télé conseiller, téléconseiller, téléconseillère, personne réelle,
      personne physique, vrai personne, quelqu'un de vrai, quelqu'un de réel, humain derrière, robot derrière, llm, mistral, copilot, deepseek, openai, bing, extraterrestre, faq automatique,
      bête machine, employé humain, réponse préenregistrée, réponses préenregistrées, réponses préprogrammées, robot, bot, chatbot, chat bot, tchatbot, humain, humaine, l'humain, ia, une ia, l'ia,
      intelligence artificielle, l'intelligence artificielle, programme informatique, être humain, assistant virtuel, assistante virtuelle, automate, agent virtuel, agent humain, conseiller humain,
      chatgpt, chat gpt, gpt, gemini, claude, siri, alexa, répondeur, répondeur automatique, algorithme, réel, réelle, vivant, vivante, quelque chose de vivant, système automatique,
      service automatique, réponses automatiques, réponse automatique, modèle de langage, fait de chair, en chair et en os, ia générative`,
    bid: `quel genre de, quel, quelle, type de, un genre de, forme de, avec de, au final, tout simplement, simplement, complètement, totalement, entièrement, d'une, d'un, celui d'un, par un, par une,
      par, géré par, géré par un, géré par une, tenu par, tenu par un, pas juste, pas plutôt, pas vraiment, sympa, gentil, gentille, joli, jolie, bonne, bon, réel, réelle, vraiment, bien, réellement,
      juste, seulement, aussi, encore, toujours, en fait, là, un, une, 1, l, la, le, les, de, dun, dune, des, quun, quune, à un, à une, avec un, avec une, à, avec, vrai, vraie, véritable, simple, pas,
      pas un, pas une, plutôt, donc, actuellement, du tout, sûr, vous, toi, ou bien, par hasard, petit, sorte de, une sorte de, genre de, espèce de, bête, basique, carrément`,
    tail: `de chez vous, de l'entreprise, de l'équipe, de votre équipe, de votre entreprise, de la société, du service client, au téléphone, qui se cache, qui se cache derrière, qui tape,
      qui tape les réponses, qui rédige, qui lit, qui me lit, qui gère, qui gère ce chat, qui est là, en train de me répondre, en train de répondre, de me répondre, en ligne, en direct, en face,
      en face de moi, derrière ces messages, derrière ces réponses, derrière le chat, derrière ton écran, derrière votre écran, derrière le clavier, derrière ce tchat, ou un truc comme ça,
      ou quelque chose, quelconque, 100, avoue, avouez, dis la vérité, soyez honnête, sois honnête, please, générative, gpt, openai, de google, bavard, parlant, programmé, stupide, mdr, lol, 👀, 😄, 😏,
      😁, réel, réelle, humain, humaine, physique, virtuel, virtuelle, vivant, vivante, en chair et en os, artificielle, automatique, en vrai, en fait, qui répond, qui me répond, qui me parle,
      qui parle, qui écrit, qui m'écrit, derrière, derrière ce chat, derrière l'écran, derrière cet écran, derrière ce bot, derrière ce clavier, derrière tout ça, derrière la machine, là, ici, non,
      hein, pas vrai, n'est ce pas, ou pas, ou quoi, ou non, svp, stp, s'il vous plaît, s'il te plaît, au juste, exactement, dis moi, dites moi, là derrière, au bout, de l'autre côté, de l'écran,
      au clavier, actuellement, maintenant, conversationnel, intelligente, ou autre chose, ou autre, en ce moment, vrai ou faux, c'est ça, c'est bien ça, à qui je parle, avec qui je parle, ou vrai,
      qui êtes vous, qui es tu, juste, du coup, toi, vous, franchement, sérieux, sérieusement, de réel, de vrai, ou je rêve, ça, alors, je me demande, 🤔, 😂, 😅, 😊, 🙂, 🤖`,
    start: `attend, stp, hé, eh, hé ho, eh ho, bah, ben, tiens, oh, re, et sinon, et donc, et au fait, du coup, une petite question, juste une question, juste pour savoir, pour savoir,
      curieux de savoir, j'ai une question, avant de continuer, avant de commencer, avant toute chose, tout d'abord, je ne sais pas, je sais pas, pouvez vous, peux tu, tu peux, vous pouvez, me dire,
      nous dire, m'expliquer, j'aimerais bien savoir, je voudrais bien savoir, est ce que je peux vous demander, je peux te demander, je peux vous demander, dis donc, dites donc, réponds, répondez,
      réponds moi, répondez moi, avoue, wesh, yo, bjr, slt, cc, pardon mais, excusez moi mais, désolé mais, ma question, mais alors, mais enfin, non, bon, bonjour, salut, bonsoir, hello, coucou, hey,
      et, mais, dis, dites, dis moi, dites moi, au fait, en fait, sinon, question, svp, donc, alors, euh, attends, attendez, mais en fait, et toi, et vous, je me demande, je me demandais,
      je voudrais savoir, j'aimerais savoir, je voulais savoir, je veux savoir, si, petite question, une question, par curiosité, juste par curiosité, juste, excusez moi, pardon, d'abord, non mais,
      avant tout, puis je savoir, je peux savoir, peux tu me dire, pouvez vous me dire, tu peux me dire, vous pouvez me dire, on peut savoir, peut on savoir, est ce que je peux savoir,
      puis je vous demander, puis je te demander, rappelle moi, rappelez moi, honnêtement, sérieusement, franchement, toi, vous, c'est quoi, ça m'intrigue, simple question, ok, ah, oui`,
    idq: `t qui, t ki, té qui, t es ki, c ki, c qui, tu es ki, ki es tu, ki est tu, qui es, qui êtes, et toi qui es tu, toi t'es qui, toi tu es qui, vous c'est qui, c'est qui en face, qui est en face,
      qui est au bout, qui est de l'autre côté, qui se trouve derrière, qui est ce qui me répond, qui est ce qui répond, qui est ce qui parle, qui est ce qui me parle, qui m'écrit, qui écrit,
      qui tape, qui gère ce chat, qui gère ce bot, qui répond ici, qui répond à mes questions, qui répond à mes messages, qui répond sur ce chat, à qui m'adressé je, à qui m'adresse je,
      à qui je m'adresse, à qui est ce que je m'adresse, avec qui est ce que je discute, avec qui ai je l'honneur, avec qui ai je le plaisir, à qui ai je le plaisir, à qui ai je l'honneur de parler,
      à qui ai je le plaisir de parler, avec qui j'ai le plaisir de parler, avec qui je chatte, avec qui je cause, avec qui suis je en train de discuter, avec qui suis je en train d'échanger,
      avec qui je suis en ligne, avec qui suis je en ligne, avec quoi je parle, je discute avec qui, je chatte avec qui, j'écris à qui, vous êtes qui vous, t'es qui toi, tu es qui toi, t'es ki,
      c'est quoi ton nom de robot, c'est comment ton nom, c'est quoi ton petit nom, ton nom stp, votre nom svp, ton nom de famille, donne moi ton nom, donnez moi votre nom, dis moi ton nom,
      dites moi votre nom, tu t'appel comment, tu tapelles comment, comment tu tapelles, comment tu t'appel, comment tu te nommes, comment te nommes tu, comment vous nommez vous, tu te nommes comment,
      comment vous prénommez vous, vous portez un nom, tu portes un nom, est ce que tu as un prénom, est ce que vous avez un prénom, comment on vous appelle, comment faut il vous appeler,
      comment faut il t'appeler, est ce que tu es réel, existes tu, tu existes, t'existes vraiment, es tu célibataire, es tu marié, tu es célibataire, d'où venez vous, vous venez d'où, où es tu,
      tu es où, où vis tu, tu habites où, tu vis où, depuis quand existes tu, quand es tu né, quand as tu été créé, quelle est ta date de naissance, as tu une conscience, as tu des émotions,
      tu ressens des choses, tu es intelligent, penses tu, tu penses, es tu capable de penser, quelle est ton histoire, raconte moi ta vie, qui sont tes parents, quelle langue parles tu,
      quelles langues parles tu, quelles langues parlez vous, tu parles quelle langue, tu parles quelles langues, parles tu français, parles tu anglais, tu parles anglais, tu parles français,
      quelle est ta version, quelle version es tu, c'est quoi ta version, quel bot es tu, quel robot es tu, quel est ton modèle, quel llm utilises tu, sur quel modèle, sur quel modèle es tu basé,
      sur quelle ia es tu basé, sur quelle technologie, tu es basé sur quoi, tu es basé sur quel modèle, tu utilises quel modèle, tu utilises chatgpt, utilises tu chatgpt, vous utilisez chatgpt,
      c'est chatgpt, c'est basé sur chatgpt, tu es basé sur chatgpt, qu'est ce que tu es, qu'est ce que vous êtes, qu'est ce que c'est que ce bot, qu'est ce que c'est que ce chat,
      qu'est ce que c'est ce chat, qu'est ce que c'est, c'est quoi cette ia, c'est quoi cet assistant, c'est quoi cette chose, c'est quoi ce service, que es tu, quoi es tu, vous êtes quoi,
      dis m'en plus sur toi, dites m'en plus sur vous, en savoir plus sur toi, présente toi un peu, présentes toi, qui t'emploie, pour qui tu travailles, pour qui travailles tu,
      pour qui travaillez vous, tu travailles pour qui, vous travaillez pour qui, tu bosses pour qui, qui est ton créateur, qui est votre créateur, c'est qui ton créateur, ton créateur,
      qui te contrôle, qui te gère, qui vous gère, qui te programme, qui te dirige, qui est ton patron, qui est ton boss, à qui appartiens tu, à qui tu appartiens, qui es tu, qui est tu,
      qui êtes vous, qui etes vous, tu es qui, t'es qui, t es qui, tes qui, tes ki, vous êtes qui, vous etes qui, c'est qui, ces qui, qui est ce, qui c'est, qu'es tu, qu'êtes vous, tu es quoi,
      t'es quoi, tes quoi, c'est quoi ce bot, c'est quoi ce chat, c'est quoi ce robot, c'est quoi ce chatbot, c'est quoi ce truc, c'est quoi ici, c'est quoi ça, qui tu es, qui vous êtes, ce que tu es,
      ce que vous êtes, qui suis je en train de, comment tu t'appelles, comment tu t'appelle, comment t'appelles tu, comment t'appelle tu, comment t'appelles, comment vous appelez vous,
      comment vous vous appelez, tu t'appelles comment, tu t'appelle comment, vous vous appelez comment, t'appelles comment, ton nom, votre nom, ton prénom, votre prénom, ton petit nom,
      quel est ton nom, quel est votre nom, quel est ton prénom, quel est votre prénom, c'est quoi ton nom, c'est quoi votre nom, c'est quoi ton prénom, c'est quoi votre prénom, ton nom c'est quoi,
      ton nom est, as tu un nom, avez vous un nom, tu as un nom, t'as un nom, vous avez un nom, as tu un prénom, avez vous un prénom, tu as un prénom, est ce que tu as un nom,
      est ce que vous avez un nom, comment dois je vous appeler, comment dois je t'appeler, comment je dois t'appeler, comment je dois vous appeler, comment puis je t'appeler,
      comment puis je vous appeler, comment je peux t'appeler, comment je t'appelle, comment on t'appelle, à qui ai je l'honneur, à qui j'ai l'honneur, à qui ai je affaire, à qui j'ai affaire,
      à qui je parle, à qui parle je, avec qui je parle, avec qui parle je, avec qui je discute, avec qui est ce que je parle, à qui est ce que je parle, avec qui suis je en train de parler,
      à qui suis je en train de parler, avec qui je suis en train de parler, à qui j'écris, avec qui j'échange, avec qui suis je en contact, je parle à qui, je parle avec qui, je suis avec qui,
      qui me parle, qui me répond, qui répond, qui est là, qui parle, qui est derrière, qui se cache derrière, qui y a derrière, qui est à l'autre bout, présente toi, présentez vous, présente vous,
      parle moi de toi, parlez moi de vous, dis moi qui tu es, dites moi qui vous êtes, quel âge as tu, quel âge avez vous, tu as quel âge, t'as quel âge, où habites tu, d'où viens tu, tu viens d'où,
      es tu réel, es tu vivant, existes tu vraiment, tu existes vraiment, es tu intelligent, tu as des sentiments, as tu des sentiments, quel genre de robot es tu, quel type de robot es tu,
      quel type de bot es tu, quel genre de bot es tu, quelle ia es tu, quelle ia êtes vous, quel type d'assistant es tu, quel type d'ia es tu, quelle ia utilises tu, quelle ia utilisez vous,
      quel modèle es tu, quel modèle utilises tu, quel modèle utilisez vous, quel modèle d'ia es tu, tu utilises quelle ia, tu tournes sur quoi, tu fonctionnes avec quoi,
      quelle technologie utilises tu`,
    made: `qui a bien pu, qui donc t'a, qui t a, qui est à l'origine de, qui est derrière, dis moi qui t'a, tu as été créé, quel développeur t'a, quels développeurs t'ont, qui t'ont,
      par quelle entreprise as tu été, par quelle société as tu été, par quelle entreprise tu as été, par quelle boîte as tu été, quelle équipe t'a, quelle équipe vous a, qui t'a, qui t'as, qui ta,
      qui vous a, qui a, par qui as tu été, par qui tu as été, par qui avez vous été, par qui vous avez été, par qui es tu, par qui êtes vous, tu as été, vous avez été, as tu été, t'as été,
      qui est ce qui t'a, qui est ce qui vous a, c'est qui qui t'a, quelle société t'a, quelle entreprise t'a, quelle entreprise vous a, quelle société vous a, quelle boîte t'a, quand as tu été,
      comment as tu été, qui est ton, qui sont tes, c'est qui ton, par qui`,
    maker: `te créer, te programmer, pondu, mis là, mis ici, mis en ligne, réalisé, élaboré, configuré, paramétré, embauché, édité, fourni, fabriquer, développé par, créé par, créée par,
      programmé par, programmée par, conçu par qui, créé par qui, programmé par qui, développé par qui, développée par qui, fait par qui, codé par qui, ta création, ton existence, cette ia,
      cet assistant, ce chat, ce tchat, créé ce bot, créé ce robot, créé ce chatbot, fait ce bot, développé ce bot, développé ce chatbot, programmé ce bot, conçu ce bot, créé cette ia, créé, créée,
      crée, créer, cree, programmé, programmée, programme, développé, développée, développe, conçu, conçue, fabriqué, fabriquée, fait, inventé, codé, construit, entraîné, entrainé, mis au point,
      mis en place, créateur, créateurs, développeur, développeurs, concepteur, concepteurs, fabricant, inventeur, maître, patron, propriétaire, programmeur, écrit, formé, géré, ce bot, ce chatbot,
      ce robot`,
    cando: `quels sont tes pouvoirs, quels sont tes talents, quelles sont tes spécialités, quelle est ta spécialité, quelles sont tes missions, quelles sont vos missions, quelles sont tes limites,
      quelles sont vos limites, quelles sont vos attributions, quel est ton objectif, quel est votre objectif, quel est ton métier, quel est ton travail, quel est ton job, quel est votre métier,
      c'est quoi ton métier, c'est quoi ton travail, c'est quoi ton utilité, c'est quoi votre fonction, c'est quoi ta mission, c'est quoi tes fonctions, c'est quoi tes fonctionnalités,
      c'est quoi l'intérêt de ce chat, quel est l'intérêt de ce chat, quel est le but de ce chat, quel est le but de ce bot, pourquoi es tu là, pourquoi êtes vous là, pourquoi tu es là,
      pourquoi existes tu, tu es là pour quoi, vous êtes là pour quoi, t'es là pour quoi, que faites vous ici, que fais tu ici, qu'est ce que tu proposes, qu'est ce que vous savez,
      qu'est ce que tu sais, tu sais faire des choses, qu'est ce que tu es capable de faire, qu'est ce que vous êtes capable de faire, tu es capable de faire quoi, que es tu capable de faire,
      que peux tu faire pour moi, que pouvez vous faire pour moi, que pourrais tu faire pour moi, que pourriez vous faire pour moi, que peux tu faire d'autre, qu'est ce que tu peux faire pour moi,
      qu'est ce que vous pouvez faire pour moi, qu'est ce qu'on peut te demander, qu'est ce qu'on peut vous demander, on peut te demander quoi, on peut vous demander quoi, que peut on te demander,
      que peut on vous demander, quel genre de questions je peux te poser, quel genre de questions puis je te poser, quel genre de questions puis je vous poser, quel type de questions puis je poser,
      quel type de questions je peux te poser, quel type de questions puis je vous poser, quelles questions puis je poser, quel genre de choses sais tu faire, quelles choses sais tu faire,
      comment peux tu m'être utile, comment pouvez vous m'être utile, en quoi peux tu m'être utile, en quoi pouvez vous m'être utile, en quoi es tu utile, en quoi consiste ton rôle,
      en quoi consiste ton travail, de quelle façon peux tu m'aider, de quelle manière pouvez vous m'aider, pour quoi peux tu m'aider, dans quels domaines peux tu m'aider,
      dans quels domaines pouvez vous m'aider, dans quel domaine peux tu m'aider, sur quels sujets peux tu m'aider, sur quels sujets pouvez vous m'aider, sur quels sujets peux tu me renseigner,
      sur quels sujets pouvez vous me renseigner, tu peux m'aider comment, vous pouvez m'aider comment, tu peux me servir à quoi, tu me sers à quoi, comment t'utiliser, comment on t'utilise,
      comment utiliser ce chat, comment utiliser ce bot, comment ça marche ici, comment ça fonctionne ici, comment fonctionne cet assistant, ça marche comment ce chat, ça fonctionne comment ce chat,
      donne moi la liste de tes fonctions, liste tes fonctions, liste tes capacités, montre moi ce que tu sais faire, dis moi ce que tu sais faire, dis moi ce que tu peux faire,
      dites moi ce que vous savez faire, dites moi ce que vous pouvez faire, explique moi ce que tu sais faire, explique moi à quoi tu sers, ce que tu sais faire, ce que tu peux faire,
      ce que vous savez faire, ce que vous pouvez faire, que sais tu faire, que savez vous faire, que peux tu faire, que pouvez vous faire, que peut tu faire, que fais tu, que faites vous,
      qu'est ce que tu peux faire, qu'est ce que vous pouvez faire, qu'est ce que tu sais faire, qu'est ce que vous savez faire, qu'est ce que tu fais, qu'est ce que vous faites, tu peux faire quoi,
      vous pouvez faire quoi, tu sais faire quoi, vous savez faire quoi, tu fais quoi, vous faites quoi, tu sers à quoi, vous servez à quoi, à quoi tu sers, à quoi sers tu, à quoi servez vous,
      à quoi vous servez, à quoi sert ce bot, à quoi sert ce chat, à quoi sert ce chatbot, à quoi sert ce robot, à quoi sert ce tchat, à quoi ça sert, ça sert à quoi, il sert à quoi ce bot,
      quel est ton rôle, quel est votre rôle, quel est ton but, quel est votre but, quelle est ta fonction, quelle est votre fonction, quelle est ton utilité, quelle est votre utilité,
      quelle est ta mission, quelle est votre mission, quelles sont tes fonctions, quelles sont vos fonctions, quelles sont tes fonctionnalités, quelles sont vos fonctionnalités,
      quelles sont tes capacités, quelles sont vos capacités, quelles sont tes compétences, quelles sont vos compétences, tes capacités, tes fonctions, c'est quoi ton rôle, c'est quoi ton job,
      c'est quoi ton boulot, c'est quoi ta fonction, c'est quoi ton but, c'est quoi votre rôle, de quoi es tu capable, de quoi êtes vous capable, tu es capable de quoi, t'es capable de quoi,
      comment peux tu m'aider, comment pouvez vous m'aider, comment tu peux m'aider, comment vous pouvez m'aider, en quoi peux tu m'aider, en quoi pouvez vous m'aider, en quoi tu peux m'aider,
      en quoi vous pouvez m'aider, avec quoi peux tu m'aider, avec quoi pouvez vous m'aider, sur quoi peux tu m'aider, sur quoi pouvez vous m'aider, tu peux m'aider en quoi,
      vous pouvez m'aider en quoi, tu peux m'aider sur quoi, tu peux m'aider à quoi, à quoi peux tu m'aider, à quelles questions peux tu répondre, à quelles questions pouvez vous répondre,
      à quelles questions tu peux répondre, quelles questions puis je te poser, quelles questions puis je vous poser, quelles questions je peux te poser, quelles questions je peux vous poser,
      que puis je te demander, que puis je vous demander, qu'est ce que je peux te demander, qu'est ce que je peux vous demander, je peux te demander quoi, je peux vous demander quoi,
      comment fonctionnes tu, comment fonctionnez vous, comment tu fonctionnes, comment vous fonctionnez, comment tu marches, comment marches tu, tu marches comment, tu fonctionnes comment,
      comment fonctionne ce chat, comment fonctionne ce bot, comment fonctionne ce chatbot, comment ça marche ce chat, comment marche ce chat, que sais tu, que savez vous, tu sais quoi faire,
      quels services proposes tu, que proposes tu, quelles tâches peux tu faire, quels sujets connais tu, tu connais quoi, tu t'y connais en quoi, tu peux répondre à quoi, vous pouvez répondre à quoi,
      que peux tu, que pouvez vous`,
    cantail: `exactement, au juste, pour moi, pour nous, ici, concrètement, précisément, en fait, comme choses, d'autre, à part ça, toi, vous, de beau, en vrai, là, au fait, déjà, aujourd'hui, svp,
      stp, s'il vous plaît, s'il te plaît, dans la vie, et qui, ce bot, ce robot, ce chat, derrière ce chat, derrière ce bot, derrière ce chatbot, derrière cet écran, derrière l'écran, donc, hein,
      actuellement, maintenant, robot, bot, le robot, le bot, réellement, vraiment, alors, je vous prie, et que fais tu, et que faites vous, sur ce site, comme bot, pour m'aider, par curiosité, bien,
      🤖, 🤔, 😊, 🙂, 😅`,
  },
  phrases: {
    human: `
      [<solodet>] [<pre>] <solo> [<post>] [<post>] [<post>]
      (une|une autre|une vraie|un vrai|quelque) [<pre>] personne [<post>] [<post>] [<post>]
      (le|la|les|au|à la|votre|vos|un|une) [<pre>] (<dept>|<job>|<person>) [<post>] (svp|stp|s'il vous plaît|s'il te plaît|please|merci|tout de suite|immédiatement|vite|maintenant|je vous prie|et vite)
      (l'accueil|l'assistance|l'atelier|l'administration|l'agence) [svp|stp|s'il vous plaît|merci]
      [le|votre|au|du|un] service <deptname> [<post>] [<post>]
      [le|la|un|votre|ton|une] (responsable|directeur|directrice|chef|gérant|gérante|manager) (de|du|d|de la|de l|des) (magasin|agence|d'agence|l'agence|rayon|service|la boutique|boutique|restaurant|l'hôtel|équipe|l'équipe|ventes|vente|clientèle|secteur|région|projet|l'établissement|établissement|filiale|atelier) [<post>] [<post>]
      ~ <talk> [<how>] [<how>] <tprep> [<det>] [<pre>] <who>
      ~ (parler|jaser|discuter|reparler|m'entretenir|causer) [<how>] (à|a|avec|au|aux) [un|une|le|la|l|votre|vos|un de vos|une de vos|l'un de vos|ton|la même|le même] [<pre>] <job>
      ~ (échanger avec|d'échanger avec|en contact avec|en relation avec|en ligne avec|en communication avec|conversation avec|m'entretenir avec|visio avec|rendez vous téléphonique avec|rdv téléphonique avec|entretien avec|appel avec|contact direct avec) [<det>] [<pre>] (<job>|<dept>)
      ~ (échanger|d'échanger) [<how>] [<how>] avec [<det>] [<pre>] <who>
      ~ (m'adresser|nous adresser|me confier|m'expliquer|poser une question|poser des questions) [<how>] <tprep> [<det>] [<pre>] <sure>
      ~ (être|d'être|etre|detre|me faire) (aidé|aidée|aider|assisté|assistée|conseillé|conseillée|pris en charge|prise en charge|accompagné|accompagnée|servi|servie|reçu|reçue|renseigné|renseignée) [<how>] par [<det>] [<pre>] <who>
      ~ <want> [<adv>] [<adv>] (parlé|parlée|parlez|parle|parles|discuté|discute) [<how>] <tprep> [<det>] [<pre>] <who>
      ~ <want> [<adv>] [<adv>] (parler|discuter|dialoguer|m'entretenir|communiquer) … (à|a|avec|au|aux|auprès de) [<how>] [<det>] [<pre>] <who>
      ~ <want> [<adv>] [<adv>] (voir|expliquer|exposer|régler|résoudre|poser|traiter|m'adresser|raconter|vérifier|échanger|faire le point|d'expliquer|d'échanger) … (à|a|avec|auprès de|auprès dun|auprès d'une) [<how>] [<det>] [<pre>] (<sure>|une personne|quelquun|qqn)
      ~ (parler|discuter|dialoguer|m'entretenir|causer|converser) … (à|a|avec|au|aux) [<how>] [<det>] [<pre>] <agent>
      ~ <want> [<adv>] [<adv>] (contacter|joindre|rejoindre|solliciter|rencontrer|téléphoner|contacté|contacte|joins|avoir au téléphone|avoir en ligne|avoir au bout du fil|avoir au tel|avoir en direct|d'avoir au téléphone|atteindre|d'atteindre|interpeller|recontacter|ravoir|retrouver|reparler|tomber sur|arriver à|arriver jusqu'à) [<how>] [<prep>] [<det>] [<pre>] <who>
      ~ <want> [<adv>] [<adv>] (appeler|d'appeler|appelle|avoir|d'avoir|voir|trouver|trouve|obtenir|d'obtenir|interroger|écrire|d'écrire|consulter|recevoir|demander|tomber sur|j'ai|récupérer|accéder|d'accéder|accès|passer|basculer) [<how>] [<how>] [<prep>] [<det>] [<pre>] <sure>
      ~ <want> [<adv>] [<adv>] (appeler|d'appeler|téléphoner|écrire|d'écrire|joindre|contacter|accéder|arriver|atterrir) [<how>] [<prep>] [<det>] [<pre>] (<desk>|<sure>)
      ~ <want> [<adv>] [<adv>] (écrire|d'écrire|téléphoner|me confier|m'adresser) [<how>] (à|a|au) [<det>] [<pre>] <person>
      ~ <wantone> [<adv>] (une|la|votre|1) [<pre>] personne (svp|stp|et|pas|qui|pour|au|à|en|du|de|s'il|tout|maintenant|réelle|merci|immédiatement|rapidement|compétente)
      ~ pour (avoir|joindre|contacter|tomber sur|trouver|obtenir|appeler) [<how>] [<det>] [<pre>] (<human>|quelquun|qqn|conseiller|agent|opérateur|interlocuteur|support|service client|personne au téléphone)
      <wantone> [<adv>] [<adv>] [une|la|1] [<pre>] personne [<post>] [<post>]
      ~ (avoir|d'avoir|joindre) (le support|le service client|votre support|votre service client|le sav|votre sav|votre standard|le standard|votre hotline|la hotline|l'assistance|votre assistance|vos conseillers|votre équipe) [au téléphone|en direct|directement|par téléphone]
      ~ <want> [<adv>] [<adv>] (parler|discuter|m'entretenir|communiquer|échanger avec|d'échanger avec|avoir au téléphone|rappelé par|contacté par|rappelée par|contactée par|en contact|mis en relation|mise en relation|téléphoner) [<how>] [<tprep>] [<det>] [<pre>] (<pro>|<job>|<dept>)
      ~ (contacter|joindre|atteindre) [<how>] (quelquun|qqn|une vraie personne|un humain|un conseiller|une personne|un être humain|un agent|un vrai|une conseillère|un interlocuteur|un responsable|un opérateur|personne)
      ~ (avoir|d'avoir|parler à|joindre|eu|trouver) (personne|quelquun|qqn|un conseiller|un humain|une personne|un agent) [<how>] (au téléphone|en ligne|au bout du fil|au tel|de vive voix|en direct|par téléphone)
      ~ <wantone> [<adv>] [<adv>] <det> [<pre>] <sure>
      ~ <wantone> [<adv>] [<adv>] [<pre>] (quelquun|qqn|qqun|qq1|quelqu un|humain|conseiller|agent|dhumain|opérateur|dagent|dopérateur|humains|contact humain)
      ~ (que|quun|quune|qu|si|qu'il|afin que|pour que) [<det>] [<pre>] (<who>|<job>) [<post>] [<post>] <acts>
      ~ (que|quun|quune|afin que|pour que) [<det>] [<pre>] (<job>|<dept>|<who>) [<ofyou>] [de] <callback>
      ~ <give> [<how>] [<how>] [<prep>] [<det>] [<pre>] (<who>|<job>|<dept>)
      ~ <hand> [<how>] [<det>] [<pre>] <sure>
      ~ (donnez moi|donne moi|filez moi|file moi|trouvez moi|trouve moi|envoyez moi|amenez moi|ramenez moi|passez moi|passe moi|rendez moi|mettez moi) [<how>] (une|la) [<pre>] personne
      ~ <link> [<how>] (avec|a|au|vers|aux|à l|sur) [<det>] [<pre>] <agent>
      ~ (mettre|mettez|mets|mettez moi|mets moi|mis|mise|mette|entrer|rentrer|mettiez) en (relation|contact|communication|ligne|liaison|lien) [<how>] [<how>] avec [<det>] [<pre>] <who>
      ~ (transférer|transférez|transfère|transférée|transféré|transmettre|transmettez|transmets|passer|passez|passe|escalader|escaladez|escalade|confier|confiez|faire suivre|faites suivre|remonter|remontez|rediriger|redirigez|orienter|orienté|orientée|dirigé|dirigée|redirigé|redirigée|basculer|basculé|connecté|connectée) … (a|au|aux|vers|avec|par) [<det>] [<pre>] <staff>
      ~ (escalader|escaladez|escalade|escaladé|remonter|remontez|remonte|faites remonter|faire remonter) … (à|a|au|aux|vers) [<det>] [<pre>] (<person>|<job>|<dept>)
      [<can>] [<adv>] (me mettre en relation|me mettre en contact|me transférer|mise en relation|transfert|transférez moi|escalade|mettez moi en relation|être mis en relation|être transféré|un rappel|être mis en contact|demande de rappel|passer le relais|passez le relais|passe le relais|passer la main|passez la main|passe la main)
      <want> [<adv>] [<adv>] (mis en relation|mise en relation|transféré|transférée|rappelé|rappelée|un rappel|qu'on me rappelle|mis en contact|mise en contact|un contact téléphonique|un entretien téléphonique|un contact humain|parler|un appel|une conversation téléphonique|un numéro de téléphone|un numéro à appeler|vous parler|vous parler directement) [<post>] [<post>]
      ~ (rappel|contact|entretien|rdv|rendez vous|échange|appel|assistance|conversation) (téléphonique|humain|humaine|par un conseiller|d'un conseiller|avec un humain|avec un vrai|avec une vraie|d'un humain|d'un vrai|par un humain)
      ~ <callme>
      ~ <can> [<adv>] [<adv>] <callback>
      ~ (quon|que quelquun|que qqn|quun conseiller|que vous|quun agent|que l'on|quun humain|que votre équipe|quun responsable|que lon|que le service client|si quelquun|si vous|si on|que tu|quune personne|que ton chef|que le responsable|que votre service|quun technicien) [<adv>] [pouvait|pouviez|puisse|puissiez|pourrait|veuille] [<adv>] <callback>
      ~ (<sure>|une personne|un collègue|vos collègues|votre équipe|vos équipes|vos services|votre service|ton responsable|votre responsable|quelqu'un de chez vous) … <callback>
      ~ <want> [<adv>] [<adv>] (être|d'être|etre|detre|me faire|nous faire) <called> [<how>] [au plus vite|par]
      ~ (être|d'être|me faire) <called> [<how>] (par|au) [<det>] [<pre>] (<who>|téléphone)
      ~ (demande|demander|attente|attends|souhaite|veux|voudrais|prévoir|programmer|planifier|aimerais|possible|demandé|organiser|convenir) [<adv>] [d'être|être|un|de|d'un|d'] (rappelé|rappelée|callback|call back|rappel téléphonique|rappel svp|rappel par|rappel de votre part|rappel de la part|rappel dans|rappel demain|rappel ce|rappel cet|rappel aujourd'hui|rappel urgent|rappel d'un|appel d'un|appel de votre part|appel de la part|coup de fil)
      ~ (attends|attend|attendons|attente de|espère|attente d'un) (votre appel|un appel|votre coup de fil|un coup de fil|un rappel|votre rappel|que l'on me rappelle|ton appel|appel)
      (rappelez|un rappel|callback|call back|me rappeler|rappelle|me faire rappeler|contact téléphonique|par téléphone|demande de rappel|rappel téléphonique|rappel immédiat|rappel demandé|rappel souhaité|être rappelé|être rappelée|être recontacté|appelez|un coup de fil) [<post>] [<post>]
      ~ [<det>] [<pre>] <sure> [<post>] [<post>] <may> [il|elle|t il|t elle|bien|svp|enfin|au moins|donc|s'il vous plaît|vraiment] <act>
      ~ (un|une|le|la|votre|vos|ton|un de vos|une de vos|l'un de vos|mon|du|quun|quune) [<pre>] (<person>|<job>|<dept>) [<ofyou>] [<deptname>] <may> [elle|il|elles|ils|t elle|bien|svp|enfin|me] (<callback>|me répondre|prendre le relais|m'aider|me parler|prendre contact|me prendre en charge|me renseigner|me conseiller|reprendre la conversation|reprendre le chat|reprendre mon dossier|discuter|parler|échanger|y jeter un oeil|jeter un oeil|regarder mon dossier|m'écouter)
      ~ (quelquun|qqn|qqun|qq1|quelqu un|un membre|une personne|un employé|un collègue|un humain|un responsable|un conseiller|un technicien) <ofyou>
      ~ (quelquun|qqn|personne|des gens|un humain|des humains) [ne|qui|de vivant|de réel] (bosse|travaille|travaillent|bossent|lit|répondent) [encore|vraiment] (ici|là|chez vous|là dedans|dans cette|pour)
      ~ (contourner|contourne|éviter|évite|sauter|saute|zapper|zappe|bypasser|bypass|passer outre|court circuiter|échapper|échappe|dépasser) [à] (le|ce|la|cette|les|ces|votre|un|du|au|l) [<bid>] (<bot>|machine|standard automatique)
      ~ (me connecter|me connectez) (à|avec) [<det>] [<pre>] (<staff>|<human>|quelquun|une personne)
      ~ (numéro|ligne|téléphone) [<how>] (avec|où|ou|pour) (je peux avoir|on peut avoir|avoir|joindre|parler à|tomber sur|parler avec|de vrais|des) [<det>] [<pre>] (gens|humain|humains|personne|quelquun|qqn|conseiller|vraie personne)
      ~ (numéro|ligne|téléphone) [<how>] (avec|où|ou|pour) [je peux|on peut] (un humain|vous joindre|vous parler|parler|quelquun|qqn|une vraie personne)
      ~ (à qui|avec qui) (je peux|je pourrais|je puisse|on peut|on puisse|on pourrait) [<adv>] (parler|me confier|discuter|en parler|m'expliquer|me plaindre)
      ~ qui [est ce que] (puis je|je peux|peut on|pourrais je) (avoir|joindre|appeler) [au] (téléphone|tel|bout du fil)
      ~ (<person>|<job>) (au bout du fil|en visio|de vive voix)
      ~ (coup de fil|coup de téléphone|coup de tel|retour d'appel|retour téléphonique|retourner mon appel|retournez mon appel)
      ~ (je veux|je préfère|j'aimerais|je voudrais|je préférerais|je souhaite|préfère|voudrais) [<adv>] (parler|téléphoner|un appel|le téléphone|l'oral|discuter|qu'on s'appelle|qu'on se parle) [<adv>] (au téléphone|de vive voix|par téléphone|à l'oral|en vrai|en direct|que d'écrire|plutôt que|en personne|en visio)
      ~ (vos|tes|les|des|de vos|aux) (conseillers|conseillères|opérateurs|agents|téléconseillers|collègues|collaborateurs|humains|employés|responsables) [sont|sont ils|sont elles|seront|seront ils] (en ligne|disponibles|joignables|là|dispo|présents|connectés|dispos)
      ~ (avis|regard|jugement|oreille|écoute|voix|conseil) (humain|humaine)
      ~ (la|une|entendre une|entendre la) (voix|vraie voix) (d'une personne|d'un humain|humaine|de quelqu'un)
      ~ <is> [<adv>] [<det>] [<pre>] (<job>|<person>) [<ofyou>] (à qui|a qui|avec qui|que je peux|que je puisse|que je pourrais|pour me|pour m'aider|pour discuter|pour parler|disponible pour|dispo pour)
      ~ (vous me|tu me|on me|vous nous) (passez|passes|passe|mettez|transférez|transfères|trouvez|donnez) [<how>] [<prep>] [<det>] [<pre>] (<sure>|<person>)
      ~ <may> (il|elle|on|t on|t il) (parler|discuter|avoir) [<how>] [<prep>] [<det>] [<pre>] <sure>
      ~ <is> [<adv>] [<det>] [<pre>] (<staff>|<human>|quelquun|qqn|qqun|qq1|quelqu un|personne|personnes|collègue|équipe|employé|directeur|gens) [<post>] [<post>] <avail>
      ~ <is> [<adv>] [<det>] [<pre>] <human> [<post>] [ici|là|dispo]
      <is> [<adv>] [<det>] [<pre>] (conseiller|conseillers|agent|opérateur|interlocuteur|service client|conseillère|opératrice|standard|responsable|téléconseiller|agents|opérateurs|numéro de téléphone|numéro à appeler|numéro où vous joindre|hotline) [<post>] [<post>]
      ~ <human> … (existe|disponible|dispo|en ligne|chez vous|joignable|quelque part|derrière pour|svp|s'il vous plaît|stp|s'il te plaît|maintenant|immédiatement|tout de suite|rapidement)
      ~ <nobot> [<botvia>] [<botvia>] [<botvia>] <bot>
      ~ (pas|plus|jamais|non|sans|ni|aucun) [parler|de parler|discuter|de discuter|envie de parler|être aidé|échanger|d'échanger|avoir affaire|d'avoir affaire|dialoguer|communiquer|perdre mon temps|besoin|répondre|à répondre|traiter] [à|avec|par] (un|une|des|de|d|dun|dune|à un|à une|quun|quà un|quavec un|à ce|avec ce|à cette|avec cette) [stupide|stupides|simple|pauvre|vulgaire|putain de] <bot>
      ~ (pas|plus|jamais|marre|refuse|assez|ras le bol|envie|non|au lieu|plutôt|que) [envie|besoin|vouloir|que|à|de] (parler|de parler|discuter|de discuter|échanger|d'échanger|dialoguer|communiquer|avoir affaire|d'avoir affaire|converser|perdre mon temps|écrire|d'écrire|d'écrire ça|taper|raconter|confier|me confier|d'expliquer|expliquer) [ça|cela|mon problème|ma vie] [à|avec] (un|une|des|cette|ce|votre|cet) <thing>
      ~ (pas|non) (une|à une|avec une|d'une|dune) (machine|voix automatique|voix de synthèse|voix enregistrée)
      ~ (robot|robots|bot|bots|chatbot|chatbots|machines) [là|ça|c'est|ici|ils] (ça suffit|ça me suffit|y en a marre|j'en ai marre|ça va bien|j'en peux plus|très peu pour moi|non merci|me comprend pas|comprend rien|me saoule|me saoulent|me soule) [je|passez|un|donnez]
      ~ (aide|assistance|intervention|soutien|accompagnement|l'aide|l'assistance|l'intervention|de l'aide|d'aide) (dun|dune|avec un|avec une|par un|par une|de la part d'un|de la part d'une|d'un vrai|d'une vraie|de vos|de votre) [<pre>] <agent>
      ~ (réponse|réponses|contact|avis|l'avis) (dun|dune|avec un|avec une|par un|par une|de la part d'un|de la part d'une) [<pre>] <staff>
      ~ (contact|aide|assistance|intervention|interaction|support|service|réponse|accompagnement|présence|échange|interlocuteur|interlocutrice|conseiller|agent|opérateur|opératrice|assistant|assistante|conseillère) (humain|humaine) [svp]
      ~ (préfère|préférerais|préférerai|préfèrerais|aime mieux|plutôt|mieux) [<adv>] [<prep>] [<det>] [<pre>] <human>
      (chat|tchat|discussion|conversation|parler|appel|contact|discuter|échange|contacter|joindre|appeler|live chat|chat en direct|voir|mise en relation|transfert|vers|avec|besoin|urgent|demande|veux|veut|parle|passer|communiquer|attente) [<how>] [<prep>] [<det>] [<pre>] <who> [<post>] [<post>]
      (chat en direct|live chat|chat live|tchat en direct|discussion en direct|conversation en direct|contact humain|assistance humaine|aide humaine|support humain|vrai conseiller|agent live|contact direct|assistance téléphonique|joindre par téléphone|vous joindre par téléphone)
      (à|avec|vers|auprès de) qui (puis je|je peux|pourrais je|est ce que je peux|peut on|on peut|je pourrais|dois je|je dois|faut il) (parler|discuter|échanger|m'adresser|en parler|parler directement|me plaindre|me tourner|s'adresser) [de mon problème|de ça] [<post>] [<post>]
      (qui|quel numéro) (puis je|je peux|pourrais je|peut on|dois je|je dois) (appeler|contacter|joindre) [pour parler|directement|au téléphone|par téléphone] [<post>] [<post>]
      (puis je|je peux|est ce que je peux|peut on|on peut|je voudrais|je veux|j'aimerais|je souhaite|comment|comment puis je|pourrais je|est il possible de|comment faire pour|je préfère|je préférerais) [<adv>] (vous appeler|vous téléphoner|vous joindre|vous joindre par téléphone|vous avoir au téléphone|appeler|téléphoner|vous contacter par téléphone|vous parler|vous parler de vive voix|vous parler au téléphone|vous joindre au téléphone|vous avoir en ligne|vous parler directement) [<post>] [<post>]
      ~ (personne|aucun humain|aucun conseiller|aucun agent) (ne|pour|n) [a|me|m'a] (me répond|me rappelle|m'aide|m'aider|me répondre|répond au téléphone|décroche|m'a rappelé|m'a répondu|m'a recontacté|rappelé|recontacté|répond|rappelle)
      ~ (prenez|prendre|reprendre|reprenez|prenne|reprenne) (le relais|la main|la relève)
      ~ (où|quand|ou) [est ce que|puis je|je peux|donc] (est|trouver|sont|se trouve) [<det>] [<pre>] <human>
      ~ (je parle|je parlerai|je parlerais|je ne parle|je ne parlerai|je discute|je répondrai|je réponds) (quà|quavec|qu a|qu avec|seulement à|uniquement à|seulement avec|uniquement avec|quau|quaux) [<det>] [<pre>] <who>
      <guard> <guard> <guard> <guard> <guard> <guard> <guard> <guard>
    `,
    stop: `
      [<st>] [<st>] [<st>] [<st>] [<st>] <stopw> [<st>] [<st>] [<st>] [<st>] [<st>] [<st>] [<st>]
      [<st>] [<st>] <stopw> [<st>] [<st>] [<st>] <stopw> [<st>] [<st>] [<st>] [<st>]
      (non|nan|nn|non non|bon) [ça va|c'est bon|ça ira|rien|c'est tout|ce sera tout|pas besoin|pas maintenant|je n'ai besoin de rien|laissez|laisse] [merci|non]
      (c'est bon|c bon|cest bon) [laisse|laissez|stop|on arrête|j'ai trouvé|je me débrouille]
      [non|non merci|merci] (je n'ai|j'ai|je n ai|on n'a|ai) (plus|pas) (besoin|besoin d'aide|besoin de vous|besoin de toi|besoin de rien|besoin de votre aide|d'autre question|d'autres questions|envie) [merci]
      (je ne veux|je veux|je ne souhaite|je souhaite|j'ai|je n'ai) (plus|pas) [envie de] (continuer|discuter|parler|de messages|recevoir de messages|te parler|vous parler|parler avec toi|cette conversation|continuer cette conversation|poursuivre|d'aide|de ton aide|de votre aide|être dérangé) [merci|avec toi|avec vous|cette conversation|la conversation|cette discussion|ça]
    `,
    abuse: `
      [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] [<ab>]
      [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] [<ab>]
      [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>] [<ab>] <insult> [<ab>] [<ab>]
      (vous êtes|tu es|t'es|vous etes|tes|vous n'êtes|tu n'es|bande de|bande d|espèce de|espèce d|quelle bande de|quelle bande d|quel|quelle) … <insult>
      (vous êtes|tu es|t'es|bande de|bande d|espèce de|espèce d|sale|gros|quel|quelle|pauvre) [vraiment|tous|trop|une|un|de|des] <insult> …
      [<ab>] [<ab>] (quelle|c'est une|une vraie|une grosse|belle|pure|c'est de l|grosse|que de l) [vraie|grosse|belle|pure|énorme] (arnaque|escroquerie|honte|blague|plaisanterie|mascarade|perte de temps|fumisterie|catastrophe|farce) [<ab>] [<ab>] [<ab>]
      (tu|vous|t|ce bot|ce robot|ce chatbot|votre bot|votre robot|ce chat|ça|votre service|cette ia|ton ia) [ne|n] (sers|servez|sert|comprends|comprenez|comprend|connais|sais|savez|piges|captes|entends|fais|faites|fous|foutez|valez|vaux|vaut|m'aides|m'aidez|aides) [vraiment|absolument|strictement|jamais|donc|décidément] [pas|à|a] (rien|quedal|que dalle|pas|grand chose|aider|rien du tout|lire) [du tout|de rien|à rien|à ce que je dis|à ce qu'on dit|faire|aider] [<ab>] [<ab>] [<ab>]
    `,
    identity: `
      [<start>] [<start>] <you> [<bid>] [<bid>] [<bid>] <self> [<tail>] [<tail>] [<tail>]
      [<start>] [<start>] <you> [<bid>] [<bid>] [<bid>] (<self>|<being>) [<tail>] (ou|ou bien|ou alors|et pas|pas|et non|ou plutôt) [<you>] [<bid>] [<bid>] [<bid>] (<self>|<being>) [<tail>] [<tail>]
      [<start>] [<start>] [<youare>] [<bid>] [<bid>] <being> [<tail>] (ou|ou bien|ou alors|et pas|et non|ou plutôt) [<bid>] [<bid>] [<bid>] <self> [<tail>] [<tail>]
      [<start>] [<start>] (est ce que|si|est ce) (c'est|tu es|vous êtes|t'es|je parle à|je parle avec|je discute avec) [<bid>] [<bid>] <being> [<tail>] [<tail>] [<tail>]
      [<start>] (qui|c'est qui|c'est quoi|qui c'est) [qui] (me parle|me répond|m'écrit|parle|répond|écrit|est derrière|se cache derrière|est là|tape|y a derrière) [<bid>] [<bid>] [<being>] [<tail>] [ou] [<bid>] [<bid>] [<being>] [<tail>] [<tail>]
      [<start>] [<start>] <youare> [<bid>] [<bid>] [<bid>] <being> [<tail>] [<tail>] [<tail>]
      [<start>] [<start>] [<youare>] [<bid>] [<bid>] [<bid>] <being> [<tail>] [<tail>] (ou|ou bien|ou alors|et pas|pas|et non|ou plutôt) [<youare>] [<bid>] [<bid>] [<bid>] [<being>] [<tail>] [<tail>] [<tail>]
      [<start>] [<start>] <idq> [<cantail>] [<cantail>]
      [<start>] [<start>] <idq> [et|ou] (<cando>|<idq>) [<cantail>]
      [<start>] <idq> [<bid>] [<being>] [ou] [<bid>] [<being>] [<tail>]
      [<start>] [<start>] <made> <maker> [<cantail>] [<cantail>]
      (tu as été|vous avez été|as tu été|avez vous été|t'as été) <maker> (par qui|par quelle entreprise|par quelle société|par|comment|quand) [qui]
      [<start>] [<start>] <cando> [<cantail>] [<cantail>]
      [<start>] (un|une) [vrai|vraie] (robot|bot|humain|ia|chatbot|machine) [ou] [un|une] [vrai|vraie] [robot|bot|humain|ia|machine|personne]
      [<start>] (robot|bot|humain|ia|machine|humaine|chatbot|personne|vraie personne) ou (robot|bot|humain|ia|machine|humaine|chatbot|vraie personne|personne|pas) [<tail>]
      [<start>] (ce chat|ce bot|ce service|ce tchat|le chat) est [il|ce] (un robot|automatique|automatisé|un bot|une ia|tenu par un humain|géré par un robot|géré par une ia|géré par un humain|humain)
      (tu|vous) (parles|parlez|réponds|répondez) comme un robot
    `,
    thanks: `
      (compris|noté|bien noté|entendu|respect|utile|efficace|c'est utile|chic|ça aide|ça m'aide) [merci] [<tk>] [<tk>]
      [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] <thank> [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<tk>]
      [<tk>] [<tk>] [<tk>] <thank> [<tk>] [<tk>] [<tk>] [<tk>] <thank> [<tk>] [<tk>] [<tk>] [<tk>] [<tk>]
      [<tk>] (ça|cela|ca|tu|vous|votre réponse|ta réponse|c'est|cette réponse|l'info|cette info) [m'a|m'avez|m'as|m'aide|me|a|avez|as] [bien|vraiment|beaucoup|énormément|été|grandement|parfaitement] (aidé|aidée|aide|été utile|rendu service|dépanné|très utile|sauvé|rassuré|servi|sauve|utile|éclairé|répondu) [<tk>] [<tk>] [<tk>]
    `,
    goodbye: `
      (non|non merci|pas besoin|plus besoin|rien|rien d'autre|rien merci|non rien|c'est bon|c'est bon merci|laissez tomber|tant pis|stop|ça ira|ça ira merci) [<byw>] [<byw>] <bye> [<byw>] [<byw>] [<tk>]
      [<tk>] [<tk>] [<tk>] [<tk>] [<byw>] [<byw>] [<byw>] <bye> [<byw>] [<byw>] [<byw>] [<tk>] [<tk>] [<tk>] [<tk>] [<byw>] [<byw>]
      [<tk>] [<tk>] [<tk>] [<byw>] [<byw>] <bye> [<byw>] [<byw>] [<tk>] [<tk>] [<tk>] <bye> [<byw>] [<byw>] [<tk>] [<tk>]
      [<thank>] [<byw>] <thank> [<tk>] [<tk>] [<tk>] [<tk>] [<tk>] [<byw>] [<byw>] [<byw>] <bye> [<byw>] [<byw>] [<tk>]
      [<byw>] [<byw>] (c'est|ce sera|ça sera) tout [pour aujourd'hui|pour moi|pour l'instant|pour le moment|pour ma part] [merci|merci beaucoup] [<bye>]
    `,
    greeting: `
      [<gr>] [<gr>] [<gr>] [<gr>] <hello> [<gr>] [<gr>] [<gr>] [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] <hello> [<gr>] [<gr>] [<gr>] <hello> [<gr>] [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] [<gr>] [<hello>] [<gr>] <havea> [juste|encore|aussi|besoin|bien|d'|de|eu|besoin d'|besoin de|simplement|toujours|avoir|d'avoir|demander|poser] [d'|de|eu|besoin|besoin d'] [un|une|des|quelques|1|plusieurs|deux|deux trois|2|dun|dune|votre|ton|de l|l|de|du|juste une|d'une|daide|quelque] [petit|petite|petites|autre|autres|simple|rapide|peu de|gros|léger] <ask> [à vous poser|pour vous|à te poser|à poser|à vous demander|à te demander|à vous soumettre|pour toi|svp|avec vous|de votre part] [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] [<gr>] [<hello>] [<havea>] (besoin|d'aide|j'ai besoin|de l'aide|besoin d'aide|besoin d'un renseignement|besoin de renseignement|besoin de renseignements|besoin d'infos|besoin d'info|besoin d'informations|besoin d'assistance|besoin de vous|besoin de toi|besoin de votre aide|besoin de ton aide|besoin d'un coup de main|besoin d'une info|besoin d'aide urgente) [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] [<gr>] [<hello>] [<can>] [est ce que] (<can>|vous pouvez|pouvez vous|peux tu|tu peux|tu pourrais|est ce que tu pourrais|j'aimerais que vous puissiez|qui peut|qui pourrait|tu sais|pourriez vous|j'espère que vous pouvez|j'espère que vous pourrez) [bien|peut être|svp|stp|s'il vous plaît|éventuellement|donc|un peu|vraiment] <helpme> [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] [<gr>] [<hello>] <mayask> [juste|bien|donc|svp] [vous|te|à vous|avoir|de vous] (poser|demander|savoir|poser juste|avoir) [une|des|quelques|1|deux|plusieurs|juste une|un|quelque] [petite|petites|simple|autre|petit] (question|questions|quelque chose|qqch|un truc|chose|truc|conseil|renseignement|un renseignement|info|information|aide|un conseil|de l'aide|une info|informations|renseignements) [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] (aide|aidez moi|aide moi|aider moi|help|help me|à l'aide|a laide|au secours|sos|question|questions|une question|petite question|question rapide|renseignement|renseignements|un renseignement|une info|info|infos|information|informations|assistance|de l'aide svp|de l'aide|j'ai un souci|j'ai un problème|une petite question|aidez nous|une petite info|on commence|c'est parti|commençons|j'aurais une question|une demande|un problème|un souci|besoin d'un renseignement) [<gr>] [<gr>] [<gr>]
      [<gr>] [<gr>] (je vous contacte|je viens vers vous|je me tourne vers vous|je me permets de vous écrire|je vous écris|je suis nouveau ici|je suis nouvelle ici|j'ai besoin de parler|je suis perdu|je suis perdue|je suis là|c'est moi|c'est encore moi|me revoilà) [pour|car|parce que] [<havea>] [un|une|d'une|d'un|de|d'] [petite|petit] [<ask>] [<gr>]
    `,
  },
  cues: {
    human: `
      (humain|humaine|humains|être humain|vraie personne|vrai personne|personne réelle|téléconseiller|téléconseillère|standardiste|rappel téléphonique|callback|live chat|service client|service clients|service clientèle|service à la clientèle|superviseur|préposé|vive voix|au bout du fil)
      (un|une|votre|vos|ton|mon|dun|dune|quun|au|à|aux|de vos|des) (conseiller|conseillère|conseillers|téléopérateur|opératrice|opérateur|collègue|collègues|supérieur|patron|chef|boss|manager|superviseur|directeur|représentant|collaborateur|collaborateurs|interlocutrice|spécialistes|experts)
      (quelquun|qqn|qqun|qq1|une personne|vraie personne|responsable|manager|collègue|collègues|équipe|l'équipe|agent|agents|opérateur|interlocuteur|technicien|médecin|docteur|spécialiste|spécialistes|expert|experts|commercial|vendeur|directeur|direction|employé|service) … (appeler|contacter|rappeler|parler|joindre|m'aider|répondre|téléphone|rappelle|appelle|contacte|réponde|m'appeler|m'appelle|discuter|recontacter|recontacte|aide|m'aide|rappelez|échanger)
      (parler|discuter|dialoguer|contacter|joindre|appeler|rappeler|téléphoner|rappelle|appelle|échanger avec|échange avec|voir avec|relais|transférer|m'adresser|entretien|conversation|rencontrer|relation avec|contact avec) … (quelquun|qqn|personne|responsable|manager|collègue|collègues|équipe|équipes|l'équipe|agent|opérateur|interlocuteur|technicien|médecin|docteur|spécialiste|spécialistes|expert|experts|commercial|vendeur|directeur|direction|employé|service|services|vous|conseiller|gens|humain|standard|accueil|l'accueil)
      (m'appeler|me rappeler|me recontacter|me contacter|me téléphoner|rappelez|recontactez|contactez moi|appelez moi|me rappelle|me rappelez|me recontacte|me contacte|être rappelé|être rappelée|être recontacté|être contacté|être contactée|coup de fil|vous joindre|vous appeler|vous téléphoner|me joindre)
      (parler|discuter|bavarder|converser|dialoguer) (à|avec|au)
      (pas|plus|marre|assez) … (robot|robots|bot|bots|chatbot|chatbots|ia|réponses automatiques)
    `,
    stop: `
      (stop|stopp|stoppe|stoppez|arrête|arrêtez|arrêter|arrêtons|annule|annulez|quitter|quitte|exit|cancel|abandonne|abandonner|j'abandonne|laisse tomber|laissez tomber|laisse|laissez|oublie|oubliez|tant pis|non merci|nan merci|pas la peine|pas besoin|plus besoin|sans façon|pas grave|changé d'avis|pas intéressé|pas intéressée|plus intéressé|m'intéresse pas|m'intéresse plus|tais toi|taisez vous|chut|silence|lâche moi|lâchez moi|tranquille|la paix|ça suffit|suffit|assez|basta|peu importe|me débrouille|me débrouillerai|pas maintenant|une autre fois|cesse|cessez|désactive|désactivez|va t'en|n'en parlons plus|restons en là|en rester là|rien du tout|trompé de chat|mauvaise conversation|ça ira|ignore|ignorez|je ne veux plus|je veux plus|je ne veux pas|c bon|c'est bon)
      (ferme|fermez|fermer|termine|terminez|terminer|terminé|clôturer|clôture|clore|mettre fin|mettez fin|mets fin|fin|finir|finissons|couper|coupe|coupez|interrompre|supprime|réduire|masquer|cacher|enlève|enlevez) … (chat|tchat|conversation|discussion|fenêtre|session|échange|l'échange|ça|là|dialogue|bot|robot|chatbot)
    `,
    abuse: `
      <insult>
      (bande|espèce|ramassis|tas) (de|d)
      (arnaque|arnaques|arnaquer|escroquerie|incompétence|gueule|enfer|honte|cul|merdier|bordel|voleurs|crétinerie|bêtise|débilité|bouffonnerie|daube|horreur|catastrophe|sert à rien|pire|déteste|détestable|nazes|cerveau)
    `,
    identity: `
      (tu es|t'es|es tu|vous êtes|êtes vous|je parle|je discute|parle je|suis je|j'ai affaire|ai je affaire|tu n'es|vous n'êtes|on parle|c'est|est ce|y a t il|il y a) … (robot|bot|chatbot|humain|humaine|ia|intelligence artificielle|chatgpt|gpt|réel|réelle|vraie personne|virtuel|virtuelle|vivant|vivante|automatisé|être humain|qui|quoi|automatique)
      (tu es|t'es|es tu|vous êtes|êtes vous|je parle|je discute|j'ai affaire) … (machine|ordinateur|programme|logiciel|algorithme|personne|homme|femme|fille|garçon|employé|employée|intelligent|intelligente|quelqu'un|célibataire|basé|basée|capable|conseiller|opérateur)
      (ton|votre|ta|tes) (prénom|créateur|créateurs|concepteur|développeur|âge|sexe|genre|capacités|fonctions|fonctionnalités|limites|petit nom|rôle|utilité)
      (ton|c'est quoi votre|quel est votre|dire votre|donner votre) (nom|rôle|but|job|boulot|métier|travail)
      (comment) … (t'appelles|t'appelle|appelles tu|vous appelez vous|vous vous appelez|te nommes|t'appeler)
      (t'appelles|t'appelle|vous appelez) comment
      (qui|quelle entreprise|quelle société|quelle boîte|par qui) (es tu|êtes vous|t'a|ta|vous a|tu es|vous êtes|as tu|avez vous|me répond|me parle|m'écrit|te|se cache|est derrière)
      (que|quoi|qu'est ce que|de quoi|ce que|à quoi|en quoi) [est ce que] (tu|vous) (sais|peux|savez|pouvez|sers|servez|es capable|êtes capable|peux faire|sais faire)
      (sais tu|savez vous|peux tu|pouvez vous) faire [quoi|pour moi]
      (tu|vous) (sais|savez|peux|pouvez|sers|servez) [faire|à] quoi
      (à quoi sers|à quoi servez|à quoi tu|présente toi|présentez vous|parle moi de toi|parlez moi de vous|d'où viens tu|quel âge|quelle ia|quel modèle d'ia|modèle de langage|as tu été|t'a créé|vous a créé|t'a programmé|t'a développé|tes créateurs|qui parle|à qui ai je|avec qui je|à qui je parle|avec qui est ce|à qui est ce|à qui parle|avec qui parle|quelles langues parles|langues parlez)
    `,
    goodbye: `
      (au revoir|aurevoir|revoir|bye|byebye|ciao|tchao|tchuss|adieu|bientôt|à plus|à demain|à tout à l'heure|à toute|à la prochaine|à une prochaine|prochaine fois|à très vite|bonne nuit|bonne continuation|je vous laisse|je te laisse|y aller|j'y vais|je m'en vais|je file|je me sauve|je dois partir|je dois filer|je pars|cordialement|bien à vous|prenez soin|prends soin|portez vous bien|porte toi bien|au plaisir|bisous|bises|bizz|je reviendrai|je repasserai|je reviens plus tard|ce sera tout|c'est tout|je me déconnecte|bonnes vacances|bonnes fêtes|à lundi|à mardi|à jeudi|à vendredi|à samedi|dormez bien|dors bien)
      (bonne|bon|belle|excellente|excellent|douce|agréable|bel) [fin] [de|d] (journée|soirée|semaine|week|weekend|we|après|aprem|matinée|après midi|dimanche|samedi|fin|nuit|vacances|route|courage|jour)
    `,
    thanks: `
      (merci|mercii|mercis|mrc|mci|thanks|thx|remercie|remercier|remerciements|remercions|reconnaissant|reconnaissante|gratitude|super|parfait|parfaite|génial|géniale|nickel|impeccable|impec|top|excellent|excellente|formidable|fantastique|merveilleux|extra|bravo|chapeau|magnifique|cool|adorable|sympa|gentil|gentille|aimable|utile|résolu|réglé|m'a aidé|m'avez aidé|m'as aidé|aidé|dépanné|sauvé|rassuré|rassurée|compris|noté|je comprends mieux|plus clair|très clair|clair|efficace|rapide|réactif|apprécie|apprécié|satisfait|satisfaite|ravi|ravie|content|contente|ça marche|ça fonctionne|fonctionné|marché|bien joué|beau travail|bon travail|bon boulot|ce que je cherchais|ce que je voulais|ce qu'il me fallait|respect|bluffé|impressionné|impressionnant|vous gérez|tu gères|tu assures|vous assurez|au top|meilleur|meilleure|j'adore|je t'adore|je vous adore|🙏|👍|❤|👏|👌|💯|chouette|merveille|bien expliqué|c'est fait|sauvez|sauves|soulagé|soulagée|un ange|au poil|j'ai trouvé)
    `,
    greeting: `
      (bonjour|bonjours|bjr|bonsoir|bsr|salut|slt|coucou|cc|hello|hey|hi|yo|wesh|allo|rebonjour|salutations|ohé|ouhou|youhou|enchanté|enchantée|ça va|comment allez vous|comment vas tu|tu vas bien|vous allez bien|quoi de neuf|vous êtes là|tu es là|t'es là|es tu là|êtes vous là|quelqu'un|y a du monde|une question|des questions|petite question|quelques questions|besoin d'aide|de l'aide|un renseignement|m'aider|aidez moi|aide moi|aide|help|au secours|à l'aide|sos|un souci|un problème|une info|une information|une demande|joyeux noël|bonne année|meilleurs vœux|meilleurs voeux|toc toc|deux minutes|une minute|un instant|vous déranger|👋)
    `,
  },
  questions: `comment, quand, pourquoi, combien, quel, quelle, quels, quelles, lequel, laquelle, lesquels, que faire, est ce que, est ce qu, est il, est elle, sont ils, sont elles, puis je, peut on,
    pouvons nous, dois je, faut il, avez vous, faites vous, proposez vous, vendez vous, acceptez vous, livrez vous, y a t il, ai je, a t on, peut il, peut elle, doit on, je voudrais, je souhaite,
    je souhaiterais, je veux, j'aimerais, je n'arrive, j'arrive pas, je ne peux, je n'ai pas reçu, j'ai reçu, j'ai commandé, j'ai acheté, j'ai perdu, j'ai oublié, je cherche, ne fonctionne pas,
    ne marche pas, marche pas, fonctionne pas, qu'est ce, mon, mes, mais, commande, commandes, livraison, colis, facture, compte, mot de passe, remboursement, rembourser, abonnement, abonnements,
    contrat, prix, tarif, tarifs, horaires, réservation, réserver, rendez vous, rdv, billet, carte, garantie, article, produit, produits, taille, stock, paiement, payer, retour, retours, délai, livré,
    livrer, résilier, résiliation, assurance, formulaire, dossier, adresse, numéro, code, l'application, mise à jour, erreur, vol, chambre, forfait, ligne, wifi, prélèvement, virement, crédit, prêt,
    document, documents, attestation, inscription, inscrire`,
  notHuman: `
    ~ (veux|souhaite|voudrais|désire|aimerais|envie|veut|obligé|obligée|faut) (pas|plus) [à|de|d'] (parler|discuter|appeler|contacter|avoir|passer|être|téléphoner|échanger) [<how>] [<prep>] [<det>] [<pre>] (<who>)
    ~ (pas|plus) besoin (de|dun|dune|d'|de parler à|d'appeler) [<det>] [<pre>] (<sure>)
    ~ sans (parler|passer|appeler|contacter|avoir à|devoir|avoir besoin|téléphoner|être rappelé|attendre) [<adv>] [parler|appeler|contacter|passer] [<prep>] [<det>] [<pre>] (<who>)
    ~ (suis|suis je|est ce que je suis) en train (de parler|de discuter|d'échanger|de dialoguer|de chatter|d'écrire|de converser)
    ~ (je suis|suis je) en (ligne|contact|relation|communication) avec
    ~ (suis|sois|êtes|es|n'es|n'êtes|t'es|n'est|serais|seriez) pas (un|une) <bot>
    ~ (est ce que je|je|parle je|est ce qu'on|on|j|ai je|est ce que j) [suis en train de|bien|là|vraiment] (parle|discute|échange|cause|chatte|dialogue|affaire|ai affaire|m'adresse|écris) (à|avec|bien|vraiment) [<det>] [<pre>] (<who>|bot|robot|chatbot)
    ~ (qui|qui est ce qui|c'est qui qui) (me|m|répond|parle) [répond|parle|écrit] [là|ici|un|une|c'est] … ou
    ~ (vous êtes|tu es|êtes vous|es tu|t'es|c'est|est ce) (un|une|bien un|bien une|vraiment un|vraiment une) [<pre>] (<human>|personne|humain|conseiller|agent) [<post>] [ou|derrière|qui]
    ~ (rappelle|rappelez) moi (mon|ma|mes|le prix|le montant|comment|ton nom|votre nom|quel|quelle|le code|les)
    ~ (responsable|responsables) (légal|légale|légaux|du traitement|de traitement|civile|hiérarchique direct)
    ~ (ressources|corps|droits|sciences|relations|erreur|taille|capital) (humaines|humain|humains|humaine)
    ~ <ofyou> (m'a|m'avait|a|avait|ma|m'ont) (dit|promis|assuré|répondu|appelé|contacté|conseillé|vendu|indiqué|confirmé)
    ~ (dois je|faut il|doit on|doit il) [en|d'abord|absolument] (parler|en parler|discuter|consulter|contacter|appeler|joindre|demander) [d'abord] [<tprep>] [<det>] (<job>|<who>|<dept>)
    ~ (changer|quitter|vers|chez|passer|passe|numéro|venant) [d|chez|vers|à|a|de] [un|d'un] autre opérateur
    ~ rappel (de vaccin|du vaccin|vaccin|vaccinal|tétanos|dtp|de produit|de produits|de cotisation|de paiement|de facture|de loyer)
    ~ (tu|vous) (es|êtes|n'es|n'êtes) (pas|plutôt|juste|vraiment) (un|une) [<pre>] <bot>
    ~ (devenir|métier de|travailler comme|poste de|emploi de|recruter|recrutez|recrutement|embaucher|postuler|ajouter|supprimer|inviter|changer de|inscrire|désigner) [<prep>] [<det>] [<pre>] (<who>)
    ~ (agent|agents|l'agent) (immobilier|immobiliers|de voyage|de voyages|d'assurance|d'assurances|de sécurité|d'entretien|de change|conservateur|nettoyant|secret|d'escale|municipal|municipaux|territorial|recenseur|sportif|commercial indépendant)
    ~ (horaires|horaire|heures|à quelle heure|quel est le prix|combien coûte|ouverture|tarif|surtaxé|gratuit) … (service client|service clients|service clientèle|sav|support|hotline|standard|assistance|service après vente|magasin|agence|accueil)
    ~ (service client|service clients|service clientèle|sav|support|hotline|standard|assistance|l'assistance) (est il|est elle|est|ouvre|ferme|sont ils) … (ouvert|gratuit|fermé|ouverte|joignable le|disponible le|payant|surtaxé|quelle heure)
    ~ me rappeler (mon|ma|mes|comment|quel|quelle|quels|quelles|combien|les|la|ce que|ce qui|l'adresse|votre|vos|le montant|le prix|le numéro|le code|le nom|le délai|mes identifiants|où)
    ~ (le livreur|le transporteur|le chauffeur|le médecin|le docteur|livreur|transporteur|chauffeur|le facteur|le plombier|l'expert) [peut il|va t il|doit il|peut|va|doit|pourra t il|peut il] (me|m'appeler|me contacter|m'appelle)
    ~ (qqn|quelquun|personne) … (m'aider|me conseiller|me renseigner) (à|pour|avec|sur)
    ~ (aspirateur|tondeuse|cuisine|piscine|laver|coudre|café|pâtissier|multifonction|captcha|cuiseur) … (robot|robots|machine|bot)
    ~ (robot|robots|machine|machines) (aspirateur|aspirateurs|tondeuse|tondeuses|de cuisine|de piscine|à laver|à coudre|à café|pâtissier|cuiseur|laveur|multifonction|à pain)
  `,
};
